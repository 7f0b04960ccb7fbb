package agent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/triage"
)

func TestWhoAsksIsNoFeatureOfARedactedTicket(t *testing.T) {
	t.Parallel()
	of := func(number string) any {
		return agent.LinearFeatures(triage.Observation{Dataset: &triage.DatasetObservation{Subject: "[NAME_" + number + "] cannot log in", Body: "mail [EMAIL_" + number + "]",
			Fields: map[string]string{"contact": "[NAME_" + number + "]", "note": "please call [NAME_" + number + "] as soon as it is done and not before"}}})
	}
	if d := cmp.Diff(of("2"), of("1731")); d != "" {
		t.Errorf("features of two customers (-one +other):\n%s", d)
	}
}
