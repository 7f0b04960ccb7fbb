package agent_test

import (
	"testing"

	"github.com/triagebench/triage/pkg/agent"
)

func TestTheCueReaderFindsFactsInPlainWords(t *testing.T) {
	t.Parallel()
	c, err := agent.NewCueReader()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		fact, value, text string
		want              bool
	}{
		{"severity", "cosmetic", "It is only cosmetic.", true},
		{"severity", "blocked", "We cannot work at all.", true},
		{"severity", "data_at_risk", "Strangers can see our files.", true},
		{"severity", "blocked", "The blue folder is on the table.", false},
		{"impact", "company", "Nobody in the company can work.", true},
		{"impact", "one", "Only I am affected.", true},
		{"workaround", "no", "There is no workaround.", true},
		{"workaround", "yes", "For now we use paper instead.", true},
		{"deadline", "hours", "I need it by tomorrow morning.", true},
		{"deadline", "days", "The auditor comes in three days.", true},
		{"effort", "self_service", "A link to the article is enough.", true},
		{"effort", "investigation", "Somebody has to look into our log.", true},
		{"effort", "cross_team", "Two departments have to act.", true},
		{"stake", "contract", "Our contract depends on it.", true},
		{"stake", "daily_work", "We need this every day.", true},
		{"stake", "none", "We need this every day.", false},
		{"deadline", "none", "It is due tomorrow.", false},
		{"colour", "blue", "It is blue.", false},
	} {
		if got := c.Finds(x.fact, x.value, x.text); got != x.want {
			t.Errorf("%s %s in %q: %t", x.fact, x.value, x.text, got)
		}
	}
}
