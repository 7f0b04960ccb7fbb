package audit

import (
	"strings"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/triage"
)

// fieldAgents names the agents that copy one observed field of the track.
func fieldAgents(track triage.Track) []string {
	var out []string
	for _, name := range agent.Floors(track) {
		if strings.HasPrefix(name, "field:") {
			out = append(out, name)
		}
	}
	return out
}

// enterFields enters the agents that copy one observed field into the answer that it fits.
func enterFields(a *arena) ([]contender, error) {
	var out []contender
	for _, name := range fieldAgents(a.task.Track) {
		out = append(out, a.named(name))
	}
	return out, nil
}

// judgeFields holds them against the target, or a lower ceiling where there is one: no field alone may pass.
func judgeFields(a *arena) ([]triage.Check, error) {
	var out []triage.Check
	for _, name := range fieldAgents(a.task.Track) {
		what := "copies " + strings.TrimPrefix(name, "field:") + ", the rest by the majority of train given it"
		switch {
		case a.task.Track == triage.Desk:
			out = append(out, a.atMost(name, what, min(numbersDesk, a.task.Target)))
		case a.task.Difficulty == triage.Easy:
			out = append(out, a.atMost(name, what, copiedEasy))
		default:
			out = append(out, a.fails(name, what))
		}
	}
	return out, nil
}
