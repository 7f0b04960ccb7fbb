package audit

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
)

var (
	regenerating = section{enterRegenerator, judgeRegenerator}
	replaying    = section{enterReplay, judgeReplay}
	looking      = section{enterPhrasebook, judgePhrasebook}
)

// attackScores plays a section on a task and wants mean scores from low to high.
func attackScores(t *testing.T, d Deps, o Options, list section, want map[string][2]float64) {
	t.Helper()
	a := played(t, d, o, list)
	for name, bounds := range want {
		if m, _ := a.mean(name, score); !(m >= bounds[0] && m <= bounds[1]) {
			t.Errorf("%s on %s scores %.3f, want %.2f to %.2f", name, a.task.Name, m, bounds[0], bounds[1])
		}
	}
}

// more makes an audit of enough episodes that chance decides nothing.
func more(o Options) Options {
	o.Episodes, o.Train = 40, 10
	return o
}

func TestRegeneratorKnowsAllButASecret(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"queue-hard", "desk-medium", "desk-hard"} {
		attackScores(t, deps(t), more(small(t, name)), regenerating, map[string][2]float64{nameOpen: {1, 1}, nameHidden: {0, 0.6}})
	}
}

func TestRegeneratorIsHeldAgainstTheSecretThatIsGiven(t *testing.T) {
	t.Parallel()
	d := deps(t)
	d.Secret = []byte(strings.Repeat("s", 32))
	attackScores(t, d, more(small(t, "queue-hard")), regenerating, map[string][2]float64{nameOpen: {1, 1}, nameHidden: {0, 0.6}})
}

func TestReplayLearnsASeed(t *testing.T) {
	t.Parallel()
	all := [2]float64{1, 1}
	attackScores(t, deps(t), small(t, "queue-hard"), replaying,
		map[string][2]float64{"replay:same": all, "replay:new-environments": all, "replay:fewer-tickets": all})
	attackScores(t, deps(t), small(t, "desk-medium"), replaying, map[string][2]float64{"replay:same": all, "replay:new-environments": all})
	attackScores(t, deps(t), small(t, "desk-hard"), replaying, map[string][2]float64{"replay:same": {0.87, 1}})
}

func TestPhrasebookReadsTheBankItHas(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"queue-hard", "desk-hard"} {
		attackScores(t, deps(t), more(small(t, name)), looking,
			map[string][2]float64{namePublic: {0.95, 1}, namePublicHidden: {0.95, 1}, namePrivate: {0, 0.7}})
	}
}

func TestPhrasebookUnderstandsFollowUps(t *testing.T) {
	t.Parallel()
	d := deps(t)
	tickets, err := d.Source(task(t, "queue-hard"), triage.Test)
	if err != nil {
		t.Fatal(err)
	}
	r := &bookReader{book: newBook(d.Bank)}
	found := 0
	for seed := int64(0); found < 5; seed++ {
		c := tickets(seed, 0)
		if !c.Facts.FollowUp {
			continue
		}
		found++
		q := c.Truth.Queue
		want := queueAnswer(&c.Ticket.Metadata, q.Route, q.Urgency, q.Difficulty)
		got := r.answer(triage.Observation{Queue: &triage.QueueObservation{Ticket: &triage.QueueTicket{
			Subject: c.Ticket.Subject, Description: c.Ticket.Body, Metadata: c.Ticket.Metadata}}}, triage.Action{})
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("seed %d (-want +got):\n%s", seed, d)
		}
	}
}

func TestBookBreaksPhrasesWhereMailsDiffer(t *testing.T) {
	t.Parallel()
	row := map[string]string{"paid": "9 euros"}
	for text, want := range map[string][]string{
		"We paid {paid} in May":          {"We paid 9 euros in May"},
		"Dear {first}, we paid {paid}.":  {"Dear ", ", we paid 9 euros."},
		"a brace { that never closes":    {"a brace "},
		"nothing":                        {"nothing"},
		"{company} and {paid} and {ref}": {"", " and 9 euros and ", ""},
	} {
		if d := cmp.Diff(want, fill(text, row)); d != "" {
			t.Errorf("%q (-want +got):\n%s", text, d)
		}
	}
}

// lesson B37
func TestIdlersDoWhatTheySay(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"queue-easy", "desk-hard"} {
		a := played(t, deps(t), small(t, name), section{enterBlind, judgeBlind}, section{enterIdlers, judgeIdlers})
		for _, idle := range []string{nameQuits, nameWrong, nameEmpty} {
			if m, _ := a.mean(idle, score); m != 0 {
				t.Errorf("%s on %s scores %.3f", idle, name, m)
			}
		}
		for _, same := range []string{nameRepeats, nameFlood} {
			for i, o := range a.results[same] {
				if d := cmp.Diff(a.results[nameConstant][i].score, o.score); d != "" || o.accepted != 0 {
					t.Errorf("%s on %s, episode %d: %+v (-constant +got):\n%s", same, name, i, o, d)
				}
			}
		}
	}
}

func TestWrongActionsAreWrong(t *testing.T) {
	t.Parallel()
	for _, track := range triage.Tracks() {
		for i, a := range wrongActions(triage.Action{Track: track}) {
			if triage.CodeOf(a.Validate(track, nil)) != triage.CodeInvalid {
				t.Errorf("wrong action %d of track %s is allowed: %+v", i, track, a)
			}
		}
	}
}

func TestStuffingsHoldWhatTheyClaim(t *testing.T) {
	t.Parallel()
	o := &triage.DeskObservation{IssueText: "Scanner beeps\n\n" + strings.Repeat("The scanner in our northern depot beeps at every pallet. ", 60)}
	d := &triage.DeskTruth{Category: triage.Bug, Text: o.IssueText}
	texts := map[string]string{}
	for _, s := range stuffings(map[string]int{"every": 9, "northern": 1}) {
		texts[s.name] = s.text(d, o)
		a := triage.Action{Track: triage.Desk, Desk: triage.DeskAction{Recommendation: texts[s.name]}}
		if err := a.Validate(triage.Desk, nil); err != nil || texts[s.name] == "" {
			t.Errorf("%s is no recommendation: %q: %v", s.name, texts[s.name], err)
		}
	}
	for _, c := range triage.Categories() {
		for _, k := range handbook.KindWords(c) {
			if !strings.Contains(texts["every-kind"], k.Word) {
				t.Errorf("every-kind lacks %q", k.Word)
			}
			if (c == triage.Bug) != strings.Contains(texts["right-kind"]+",", " "+k.Word) && k.Word != "request" {
				t.Errorf("right-kind for a bug and %q of %s do not go together", k.Word, c)
			}
		}
	}
	if n := len(strings.Fields(texts["observation"])); n > 80 || !strings.Contains(texts["observation"], "northern depot beeps at every") {
		t.Errorf("observation is not the ticket's text: %d words, %q", n, texts["observation"])
	}
	if !strings.HasPrefix(texts["handbook"], "### Recommendation") || !strings.Contains(handbook.Text(), texts["handbook"]) {
		t.Errorf("handbook is not from the handbook: %q", texts["handbook"])
	}
	if want := "scanner, beeps, depot, pallet, northern, every"; texts["rare-words"] != want {
		t.Errorf("rare words are %q, want %q", texts["rare-words"], want)
	}
	if strings.Contains(texts["observation-thinned"], "our northern depot beeps") {
		t.Errorf("four words stand as in the ticket: %q", texts["observation-thinned"])
	}
}

func TestCutKeepsCharactersWhole(t *testing.T) {
	t.Parallel()
	if got := cut(strings.Repeat("ü", triage.MaxRecommendation+5)); utf8.RuneCountInString(got) != triage.MaxRecommendation || !utf8.ValidString(got) {
		t.Errorf("cut to %d characters", utf8.RuneCountInString(got))
	}
}

func TestAttackerOnTheTruthNeedsAnEnvironmentThatTells(t *testing.T) {
	t.Parallel()
	i := &informed{}
	if err := i.Attach(struct{ triage.Env }{}); err == nil {
		t.Error("an environment that tells nothing was taken")
	}
	e, err := deps(t).NewEnv(task(t, "desk-hard"), triage.Test, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := i.Attach(e); err != nil {
		t.Fatal(err)
	}
	if _, err := i.Act(t.Context(), triage.Observation{}); triage.CodeOf(err) != triage.CodeUnavailable {
		t.Errorf("before a reset it answers: %v", err)
	}
	if _, err := summary(struct{ triage.Env }{}, 0); err == nil {
		t.Error("an environment without scores gave one")
	}
	if _, err := summary(e, 0); err == nil {
		t.Error("an episode that has not ended gave a score")
	}
}
