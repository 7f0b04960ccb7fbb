package fakellm_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/triagebench/triage/pkg/llm/fakellm"
)

// A client under test gets the transport, or the address of an httptest server.
func Example() {
	script, err := fakellm.ParseScript([]byte("faults: [{calls: 1, reply: 503_loading}]"), "flaky.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	server := fakellm.New(script, func(fakellm.Ask) (string, bool) { return `{"category":"Bug"}`, true }, fakellm.Options{})
	client := &http.Client{Transport: server.Transport()}
	for range 2 {
		resp, err := client.Post("http://fake/v1/chat/completions", "application/json", strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"a ticket"}]}`))
		if err != nil {
			fmt.Println(err)
			return
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		fmt.Println(resp.StatusCode, strings.Contains(string(body), "Bug"), err)
	}
	fmt.Println(server.Calls(), server.Seen()[0].Fault)
	// Output:
	// 503 false <nil>
	// 200 true <nil>
	// 2 503_loading
}
