package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEachLineIsAnsweredWithALine(t *testing.T) {
	t.Parallel()
	in := `{"task":"queue-easy","ticket":{"ticket_id":"TKT-1","subject":"Invoice","description":"Please refund 9 euros. The whole company ` +
		`stands still, all of us, and there is no workaround.","metadata":{"customer_tier":"pro","wait_time_hours":4,"selected_category":"billing"}},"position":0}
{"ticket":{"subject":"Win","description":"Free bitcoin, click","metadata":{}}}
{"ticket_id":"TKT-2","issue_text":"How do I export? Please explain the steps by tomorrow.","sentiment_score":0,"wait_time_hours":25}
`
	want := `{"route_category":"billing","urgency_assessment":"critical","resolution_difficulty":"easy","priority_score":82}
{"route_category":"spam","urgency_assessment":"low","resolution_difficulty":"easy","priority_score":0}
{"category":"Question","priority":"High","urgency_days":1,"department":"Support","recommendation":"Answer with the steps and a link to the help article."}
`
	var out strings.Builder
	if err := run(strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Errorf("answers (-want +got):\n%s", d)
	}
}

func TestALineThatIsNoObservationIsAnError(t *testing.T) {
	t.Parallel()
	err := run(strings.NewReader("what\n"), &strings.Builder{})
	if err == nil || !strings.HasPrefix(err.Error(), "read an observation: ") {
		t.Errorf("error %v", err)
	}
}
