package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/lazyregexp"
	"github.com/triagebench/triage/pkg/triage"
)

// probed is a made-up ticket that a prompt is tried on.
type probed struct {
	track           triage.Track
	later, handbook bool // a later step of its ticket; with the handbook
}

// probe renders the prompt for a made-up ticket of each track, as the first step and as a later one, so that a fault of a
// template comes out before the first call, whatever tasks are played.
func (p *Prompt) probe() error {
	hidden, shown := map[probed]bool{}, map[probed]bool{} // whether the user part lacks the ticket; whether the system part has it
	for _, o := range []triage.Observation{
		{Queue: &triage.QueueObservation{Task: "queue-easy", Ticket: &triage.QueueTicket{Subject: "probe", Description: "probe"}}},
		{Desk: &triage.DeskObservation{TaskDifficulty: triage.Hard, IssueText: "probe"}},
		{Desk: &triage.DeskObservation{TaskDifficulty: triage.Hard, IssueText: "probe", StepCount: 1, Message: "probe"}},
		{Dataset: &triage.DatasetObservation{Body: "probe", Labels: map[string][]string{"probe": {"yes", "no"}}}},
	} {
		for _, with := range []bool{true, false} {
			k, err := kitOf(o, with)
			if err != nil {
				return err
			}
			d := k.data(o, 0)
			system, user, err := p.parts(d)
			if err != nil {
				return err
			}
			at := probed{k.track, o.Desk != nil && o.Desk.StepCount > 0, with}
			hidden[at], shown[at] = !strings.Contains(user, d.Ticket), strings.Contains(system, d.Ticket)
		}
	}
	name := p.tracks[triage.Queue].name
	if at, any := placesOf(hidden); any {
		return promptError(name, fmt.Errorf("its user part does not show .Ticket%s: %s", at, misspelt(p.source)))
	}
	if at, any := placesOf(shown); any {
		return promptError(name, fmt.Errorf("its system part shows .Ticket%s: what customers write belongs in the user part", at))
	}
	return nil
}

// placesOf says for which tickets something holds, and nothing where it holds for all; any tells whether it holds for one.
func placesOf(holds map[probed]bool) (at string, any bool) {
	yes, no := parted(holds, func(probed) bool { return true })
	switch {
	case len(yes) == 0 || len(no) == 0:
		return "", len(yes) > 0
	case tells(yes, no, func(x probed) bool { return !x.handbook }):
		return " without a handbook", true
	}
	var out []string
	for _, track := range []triage.Track{triage.Queue, triage.Desk, triage.Dataset} {
		place := "the " + string(track) + " track"
		if track == triage.Dataset {
			place = "imported tickets"
		}
		yes, no := parted(holds, func(x probed) bool { return x.track == track })
		switch {
		case len(yes) == 0:
			continue
		case tells(yes, no, func(x probed) bool { return x.later }):
			place = "later steps of " + place
		case tells(yes, no, func(x probed) bool { return !x.later }):
			place = "first steps of " + place
		case tells(yes, no, func(x probed) bool { return !x.handbook }):
			place += " without a handbook"
		}
		out = append(out, place)
	}
	return " for " + strings.Join(out, " and "), true
}

// parted gives the tickets of some for which something holds, and the others of them.
func parted(holds map[probed]bool, of func(probed) bool) (yes, no []probed) {
	for x, is := range holds {
		switch {
		case of(x) && is:
			yes = append(yes, x)
		case of(x):
			no = append(no, x)
		}
	}
	return yes, no
}

// tells tells whether a property is what some tickets have and the others have not.
func tells(yes, no []probed, is func(probed) bool) bool {
	return len(no) > 0 && !slices.ContainsFunc(yes, func(x probed) bool { return !is(x) }) && !slices.ContainsFunc(no, is)
}

// placeholder is the place of the ticket as other languages of templates write it.
var placeholder = lazyregexp.New(`(?i)\$?\{\s*[.$]?ticket\w*\s*\}|%\(\s*ticket\w*\s*\)s|%ticket\w*%|<\s*ticket\w*\s*/?>|\[ticket\w*\]|\{%\s*ticket\w*\s*%\}|\$ticket\w*`)

// action is what stands in two braces, which is in order: the template was read.
var action = lazyregexp.New(`(?s)\{\{.*?\}\}`)

// misspelt says what to write where a template has the ticket's place in another language, or where it has none.
func misspelt(source string) string {
	const write = "write {{.Ticket}}"
	source = action.ReplaceAllStringFunc(source, func(a string) string { return strings.Repeat("\n", strings.Count(a, "\n")) })
	at := placeholder.FindStringIndex(source)
	if at == nil {
		return write + " where it is to stand"
	}
	return fmt.Sprintf("line %d has %.40q: %s", 1+strings.Count(source[:at[0]], "\n"), source[at[0]:at[1]], write)
}
