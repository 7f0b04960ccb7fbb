package synth_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

func TestExplainNamesWhatStandsInTheText(t *testing.T) {
	t.Parallel()
	manyTickets(t, 30, func(t *testing.T, _ place, c triage.Case, told []synth.Sentence) {
		if len(told) == 0 || told[0].Role != synth.RoleSubject || told[0].Text != strings.TrimSpace(c.Ticket.Subject) {
			t.Fatalf("it begins with %+v", told)
		}
		rest := c.Ticket.Body
		for _, s := range told[1:] { // in their order, with nothing but white space between
			i := strings.Index(rest, s.Text)
			if i < 0 || strings.TrimSpace(rest[:i]) != "" {
				t.Fatalf("%s %q does not stand next in %q", s.Role, s.Text, rest)
			}
			rest = rest[i+len(s.Text):]
		}
		if strings.TrimSpace(rest) != "" {
			t.Errorf("nobody explains %q", rest)
		}
	})
}

func TestSentencesCarryTheFacts(t *testing.T) {
	t.Parallel()
	manyTickets(t, 60, func(t *testing.T, p place, c triage.Case, told []synth.Sentence) {
		f, r := &c.Facts, &c.Facts.Primary
		count := map[synth.Role]int{}
		for _, s := range told {
			count[s.Role]++
			if want, ok := carried(r, s.Role); ok && (s.Carries != want || s.Scenario != r.Scenario) {
				t.Errorf("%s carries %q of %s, the facts say %q of %s", s.Role, s.Carries, s.Scenario, want, r.Scenario)
			}
			if s.Role == synth.RoleSecondary && (f.Secondary == nil || s.Scenario != f.Secondary.Scenario || !strings.HasSuffix(s.Carries, string(f.Secondary.Severity))) {
				t.Errorf("secondary sentence %+v, facts %+v", s, f.Secondary)
			}
			if p.task.Difficulty == triage.Easy && s.Level != "" && s.Level != "plain" {
				t.Errorf("an easy ticket tells %s in level %s", s.Role, s.Level)
			}
		}
		want := map[synth.Role]int{synth.RoleStatement: 1, synth.RoleAsk: 1, synth.RoleSituation: 1, synth.RoleEffort: 1}
		if r.Deadline != triage.NoDeadline {
			want[synth.RoleDeadline] = 1
		}
		switch {
		case r.Route == triage.Spam:
			want = map[synth.Role]int{synth.RoleStatement: 1, synth.RoleAsk: 1}
		case f.FollowUp:
			want = map[synth.Role]int{synth.RoleResolved: 1}
		}
		for _, role := range []synth.Role{synth.RoleStatement, synth.RoleAsk, synth.RoleSituation, synth.RoleEffort, synth.RoleDeadline, synth.RoleResolved} {
			if count[role] != want[role] {
				t.Errorf("%d sentences are a %s, want %d", count[role], role, want[role])
			}
		}
		if p.task.Difficulty == triage.Easy && len(f.Traps) > 0 {
			t.Errorf("an easy ticket has traps %v", f.Traps)
		}
		if !slices.IsSorted(f.Traps) || f.FollowUp != slices.Contains(f.Traps, "follow_up") {
			t.Errorf("traps %v, follow-up %t", f.Traps, f.FollowUp)
		}
	})
}

// carried is what a sentence of the primary request says it carries.
func carried(r *triage.Request, role synth.Role) (string, bool) {
	switch role {
	case synth.RoleSituation:
		out := fmt.Sprintf("severity=%s impact=%s", r.Severity, r.Impact)
		if r.Severity == triage.Blocked {
			out += fmt.Sprintf(" workaround=%t", r.Workaround)
		}
		if r.Stake != "" {
			out += " stake=" + string(r.Stake)
		}
		return out, true
	case synth.RoleEffort:
		return "effort=" + string(r.Effort), true
	case synth.RoleDeadline:
		return "deadline=" + string(r.Deadline), true
	case synth.RoleAsk:
		return "route=" + string(r.Route), true
	}
	return "", false
}

func TestFollowUpsAreLowAndEasy(t *testing.T) {
	t.Parallel()
	manyTickets(t, 60, func(t *testing.T, p place, c triage.Case, _ []synth.Sentence) {
		if c.Facts.FollowUp && (c.Truth.Queue.Urgency != triage.UrgencyLow || c.Truth.Queue.Difficulty != triage.ResolutionEasy || p.task.Track == triage.Desk) {
			t.Errorf("a follow-up is %+v", c.Truth.Queue)
		}
	})
}

// TestTextAgreesWithTheMetadata holds what easy mails say of wait, escalation, contacts and tone, which no habit of a voice
// changes there, against the metadata.
func TestTextAgreesWithTheMetadata(t *testing.T) {
	t.Parallel()
	n := &embedded(t).Noise
	manyTickets(t, 60, func(t *testing.T, p place, c triage.Case, told []synth.Sentence) {
		f := &c.Facts
		waits, tones := 0, 0
		for _, s := range told {
			switch s.Role {
			case synth.RoleWait:
				waits++
			case synth.RoleTone:
				tones++
			default:
				continue
			}
			if p.task.Difficulty != triage.Easy || c.Facts.Primary.Route == triage.Spam {
				continue
			}
			allowed := []struct {
				kind *scenario.Halves
				ok   bool
			}{
				{&n.WaitDay, f.WaitHours >= 24 && f.WaitHours < 48}, {&n.WaitDays, f.WaitHours >= 48}, {&n.Escalated, f.Escalated},
				{&n.Contacts, f.PreviousContacts >= 2}, {&n.Furious, f.Sentiment <= -0.8}, {&n.Annoyed, f.Sentiment <= -0.4},
				{&n.Pleased, f.Sentiment >= 0.4},
			}
			said := false
			for _, a := range allowed {
				said = said || a.ok && slices.ContainsFunc(a.kind.Of(p.split), func(x string) bool { return strings.EqualFold(x, s.Text) || strings.Contains(x, "{") })
			}
			if !said {
				t.Errorf("%q, but the facts are wait %.1f, escalated %t, contacts %d, sentiment %.2f", s.Text, f.WaitHours, f.Escalated, f.PreviousContacts, f.Sentiment)
			}
		}
		most := 0
		for _, may := range []bool{f.WaitHours >= 24, f.Escalated, f.PreviousContacts >= 2} {
			if may {
				most++
			}
		}
		if waits > most {
			t.Errorf("%d sentences tell of wait, escalation and contacts; the facts allow %d", waits, most)
		}
		loud := f.Sentiment <= -0.4 || f.Sentiment >= 0.4
		if genuine := !f.FollowUp && f.Primary.Route != triage.Spam; genuine && loud && tones == 0 {
			t.Errorf("nothing tells the sentiment %.2f", f.Sentiment)
		}
	})
}

func TestTonesAndTiersAreThoseThatTheScenarioAllows(t *testing.T) {
	t.Parallel()
	b := embedded(t)
	bands := map[scenario.Tone][2]float64{scenario.Furious: {-1, -0.8}, scenario.Annoyed: {-0.79, -0.4}, scenario.Neutral: {-0.39, 0.39}, scenario.Pleased: {0.4, 1}}
	manyTickets(t, 30, func(t *testing.T, _ place, c triage.Case, _ []synth.Sentence) {
		s := b.Find(c.Facts.Primary.Scenario)
		if s == nil {
			t.Fatalf("scenario %q is not in the bank", c.Facts.Primary.Scenario)
		}
		if len(s.Tones) > 0 && !slices.ContainsFunc(s.Tones, func(x scenario.Tone) bool {
			return c.Facts.Sentiment >= bands[x][0] && c.Facts.Sentiment <= bands[x][1]
		}) {
			t.Errorf("sentiment %.2f in a scenario of tones %v", c.Facts.Sentiment, s.Tones)
		}
		if len(s.Tiers) > 0 && !slices.Contains(s.Tiers, c.Facts.Tier) {
			t.Errorf("tier %s in a scenario of %v", c.Facts.Tier, s.Tiers) // only a small bank may do that
		}
	})
}
