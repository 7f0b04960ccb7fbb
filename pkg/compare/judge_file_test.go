package compare

import (
	"bytes"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/testkit"
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
	testkit.NoFusedProducts(t, 10)
}
