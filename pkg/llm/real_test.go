package llm_test

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/triagebench/triage/pkg/llm"
)

// at gives options for a server on this machine, over a real transport.
func at(t *testing.T, address string) llm.Options {
	t.Helper()
	o := options(t, nil)
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	env := func(name string) (string, bool) { return secretKey, name == "OPENAI_API_KEY" }
	var err error
	if o.Endpoint, err = llm.ParseModel("m", env, llm.EndpointOptions{BaseURL: address}); err != nil {
		t.Fatal(err)
	}
	o.Transport, o.Budget = tr, 300*time.Millisecond
	return o
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func TestOverARealConnection(t *testing.T) {
	t.Parallel()
	handler := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer "+secretKey {
			http.Error(w, `{"error":"wrong path or key"}`, http.StatusNotFound)
			return
		}
		_, _ = io.WriteString(w, well().body)
	}
	for _, suffix := range []string{"", "/", "/v1", "/v1/", "/v1/chat/completions"} {
		r, err := client(t, at(t, serve(t, handler)+suffix)).Complete(context.Background(), request())
		if err != nil || r.Text != `{"category":"billing"}` || len(r.Attempts) != 1 || r.Attempts[0].Status != 200 {
			t.Errorf("%q: %+v, %v", suffix, r, err)
		}
	}
}

func TestBrokenConnections(t *testing.T) {
	t.Parallel()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := closed.Addr().String()
	_ = closed.Close()
	cut := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "9999")
		_, _ = io.WriteString(w, well().body)
		panic(http.ErrAbortHandler)
	})
	reset := serve(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	plain := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, well().body) })
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // it says that its certificate was refused
	secure.StartTLS()
	t.Cleanup(secure.Close)
	for name, c := range map[string]struct {
		address string
		kind    llm.Kind
		fatal   bool
		hint    string
	}{
		"nobody listens":           {"http://" + nobody, llm.KindNetwork, false, "a server runs at"},
		"a body that is cut short": {cut, llm.KindNetwork, false, "can be reached"},
		"a connection that breaks": {reset, llm.KindNetwork, false, "can be reached"},
		"https of a plain server":  {strings.Replace(plain, "http:", "https:", 1), llm.KindNetwork, true, "begins with http://"},
		"a certificate of nobody":  {secure.URL, llm.KindNetwork, true, "--ca-cert"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := client(t, at(t, c.address)).Complete(context.Background(), request())
			f := failure(t, err)
			if f.Kind != c.kind || f.Fatal() != c.fatal || !strings.Contains(f.Hint, c.hint) || !c.fatal && len(f.Attempts) < 2 {
				t.Errorf("%v (fatal %v, %d attempts); hint %q", f, f.Fatal(), len(f.Attempts), f.Hint)
			}
		})
	}
}

func TestARedirectIsNotFollowedWithTheKey(t *testing.T) {
	t.Parallel()
	other := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") })
	from := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other+r.URL.Path, http.StatusMovedPermanently)
	})
	_, err := client(t, at(t, from)).Complete(context.Background(), request())
	if f := failure(t, err); f.Kind != llm.KindModel || !strings.Contains(f.Text, other+"/v1") || !strings.Contains(f.Hint, "--base-url") {
		t.Errorf("%v; hint %q", f, f.Hint)
	}
}

func TestAHangingServerIsLeftAfterTheTimeOfAnAttempt(t *testing.T) {
	t.Parallel()
	hang := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server notices a client that leaves only after it has read the request
		<-r.Context().Done()
	})
	o := at(t, hang)
	o.Timeout, o.Budget = 50*time.Millisecond, time.Millisecond
	_, err := client(t, o).Complete(context.Background(), request())
	if f := failure(t, err); f.Kind != llm.KindTimeout {
		t.Error(f)
	}
}

func TestTheBodyIsWhatGoesOut(t *testing.T) {
	t.Parallel()
	var got string
	o := at(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got = string(b)
		_, _ = io.WriteString(w, well().body)
	}))
	o.Learned = llm.Learned{Drop: []string{"seed"}, Rename: map[string]string{"max_tokens": "max_completion_tokens"}, MergeSystem: true}
	c := client(t, o)
	want, err := c.Body(request())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Complete(context.Background(), request()); err != nil || got != string(want) {
		t.Errorf("%v\n%s\n%s", err, want, got)
	}
}
