package triagetest

import (
	"strconv"

	"github.com/triagebench/triage/pkg/triage"
)

// TicketID is the id of a ticket of [Queue].
func TicketID(seed int64, position int) string {
	return "TKT-" + strconv.FormatInt(seed, 10) + strconv.Itoa(position)
}

// Route is a queue action that holds a route only.
func Route(r triage.Route) triage.Action {
	return triage.Action{Track: triage.Queue, Queue: triage.QueueAction{Route: r}}
}

// Answers makes a script of actions.
func Answers(actions ...triage.Action) []Answer {
	out := make([]Answer, len(actions))
	for i, a := range actions {
		out[i].Action = a
	}
	return out
}

// Unavailable is an error that breaks an episode through no fault of the agent.
func Unavailable(message string) error {
	return &triage.Error{Code: triage.CodeUnavailable, Message: message}
}
