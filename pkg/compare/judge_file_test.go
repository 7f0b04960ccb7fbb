package compare

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/results"
)

// A results file that is committed tells parts as means; a deterministic agent's are exact, and it is gated on its bytes.
func TestGatesReadTheStoredResults(t *testing.T) {
	t.Parallel()
	read := func(agent string) *Side {
		name := "../../baselines/scores/" + agent + ".json"
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := results.ReadResults(bytes.NewReader(data), name)
		if err != nil {
			t.Fatal(err)
		}
		return FromResults(name, r, Options{Deterministic: func(string, map[string]string) bool { return true }})
	}
	oracle, constant := read("oracle"), read("constant")
	got := judged(t, oracle, constant, "queue-hard.route_accuracy >= 0.9", "queue-hard.route drop <= 0.9", "errors == 0", "score drop <= 0.05")
	outcomes := make([]Outcome, len(got))
	for i, v := range got {
		outcomes[i] = v.Outcome
	}
	if diff := cmp.Diff([]Outcome{Regression, Inconclusive, Pass, Regression}, outcomes); diff != "" {
		t.Errorf("%s %q", diff, saidAll(got))
	}
	for _, v := range judged(t, oracle, read("oracle"), "identical", "each.score drop <= 0", "route drop <= 0", "score >= 0.99") {
		if v.Outcome != Pass {
			t.Error(said(v))
		}
	}
}

func TestTheCodeHasNoFusedProducts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds for arm64")
	}
	cmd := exec.Command("go", "build", "-gcflags=-S", ".")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("building for arm64: %v\n%s", err, out)
	}
	fused := regexp.MustCompile(`\tFN?M(ADD|SUB)[SD]\t`)
	products := 0
	for line := range bytes.Lines(out) {
		if bytes.Contains(line, []byte("\tFMULD\t")) {
			products++
		}
		if fused.Match(line) {
			t.Errorf("put float64() around the product: %s", bytes.TrimSpace(line))
		}
	}
	if products < 10 {
		t.Errorf("the listing has %d products: it is not that of this package", products)
	}
}
