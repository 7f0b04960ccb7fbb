package play_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/play"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/testkit"
	"github.com/triagebench/triage/pkg/triage"
)

// keyOf makes the key that a word names; other words are typed letter by letter by press.
var keyOf = map[string]tea.Key{
	"enter": {Code: tea.KeyEnter}, "tab": {Code: tea.KeyTab}, "shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
	"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "backspace": {Code: tea.KeyBackspace}, "esc": {Code: tea.KeyEscape}, "pgdown": {Code: tea.KeyPgDown},
	"pgup": {Code: tea.KeyPgUp}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "space": {Code: tea.KeySpace, Text: " "}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl},
}

// press presses keys and tells whether the program ends.
func press(m *play.Model, keys ...string) (ends bool) {
	for _, k := range keys {
		list := []tea.Key{keyOf[k]}
		if _, named := keyOf[k]; !named {
			list = nil
			for _, r := range k {
				list = append(list, tea.Key{Code: r, Text: string(r)})
			}
		}
		for _, key := range list {
			if _, cmd := m.Update(tea.KeyPressMsg(key)); cmd != nil {
				ends = true
			}
		}
	}
	return ends
}

func resize(m *play.Model, width, height int) {
	m.Update(tea.WindowSizeMsg{Width: width, Height: height})
}

func own(t testing.TB) (*play.Session, *journal) {
	t.Helper()
	j := new(journal)
	return started(t, j.config(planOf(t, runner.Group{Agent: "human", Task: env.TicketsTask, Count: 3}))), j
}

func queue(t testing.TB, task string) *play.Session {
	t.Helper()
	return started(t, new(journal).config(planOf(t, runner.Group{Agent: "human", Task: task, First: 42, Count: 1})))
}

func TestEachScreenIsItsGolden(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {40, 15}} {
		var b strings.Builder
		shot := func(m *play.Model, title string) {
			fmt.Fprintf(&b, "==== %s\n", title)
			for line := range strings.SplitSeq(ansi.Strip(m.View().Content), "\n") {
				b.WriteString(strings.TrimRight(line, " ") + "\n")
			}
		}
		make := func(s *play.Session, o play.Options) *play.Model {
			m := play.NewModel(s, o)
			resize(m, size[0], size[1])
			return m
		}
		s, _ := own(t)
		m := make(s, play.Options{Rules: "# Rules\n\nBe kind.\n"})
		shot(m, "a hostile ticket")
		press(m, "3")
		shot(m, "one field answered")
		press(m, "enter")
		shot(m, "Enter with a field open")
		press(m, "enter")
		shot(m, "a long ticket")
		press(m, "end")
		shot(m, "scrolled to its end")
		press(m, "?")
		shot(m, "help")
		press(m, "x", "u")
		shot(m, "an answer taken back")
		press(m, "s", "s", "s", "s", "q")
		shot(m, "q without a folder")
		press(m, "s", "s")
		shot(m, "all is answered")
		shot(make(queue(t, "queue-hard"), play.Options{}), "a queue")
		m = make(queue(t, "desk-hard"), play.Options{Feedback: true})
		press(m, "1", "2", "9", "tab")
		shot(m, "a number out of range")
		press(m, "backspace", "3", "tab", "1", "ask for the logs? q")
		shot(m, "a text")
		press(m, "enter")
		shot(m, "feedback")
		testkit.Golden(t, fmt.Sprintf("testdata/screens-%dx%d.golden", size[0], size[1]), b.String())
	}
}

func TestKeysGiveTheAnswersThatTheySay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		task string
		keys []string
		want string
	}{
		{"digits choose and go on", "queue-easy", []string{"2", "3", "1", "4", "2", "enter"}, `{"route_category":"technical","urgency_assessment":"high","resolution_difficulty":"easy","priority_score":42}`},
		{"arrows choose", "queue-easy", []string{"right", "right", "left", "tab", "right", "down", "right", "right", "right", "right", "up", "right", "enter", "enter"},
			`{"route_category":"billing","urgency_assessment":"medium","resolution_difficulty":"hard"}`},
		{"backspace takes a value away", "queue-easy", []string{"1", "up", "backspace", "enter", "enter"}, `{}`},
		{"skipped", "queue-easy", []string{"1", "2", "s", "s"}, `{}`},
		{"a search", "queue-easy", []string{"/", "PAM", "enter", "enter", "enter"}, `{"route_category":"spam"}`},
		{"a search that finds nothing", "queue-easy", []string{"/", "zzz", "enter", "esc", "2", "enter", "enter"}, `{"route_category":"technical"}`},
		{"commands are letters in a text", "desk-hard", []string{"1", "1", "7", "tab", "1", "squ?", "space", "x", "backspace", "enter"},
			`{"category":"Bug","priority":"Low","urgency_days":7,"department":"Engineering","recommendation":"squ?"}`},
		{"a number of three digits", "queue-easy", []string{"tab", "tab", "tab", "1", "0", "0", "enter", "enter"}, `{"priority_score":100}`},
		{"a number out of range is not sent", "queue-easy", []string{"tab", "tab", "tab", "9", "9", "9", "enter", "enter", "backspace", "enter", "enter"}, `{"priority_score":99}`},
	} {
		got := answerOf(t, c.task, c.keys)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// answerOf gives the first action that keys give in a new session.
func answerOf(t *testing.T, task string, keys []string) string {
	t.Helper()
	got := ""
	j := new(journal)
	c := j.config(planOf(t, runner.Group{Agent: "human", Task: task, First: 42, Count: 1}))
	note := func(a *triage.Action) {
		data, err := a.MarshalJSON()
		must(t, err)
		if got == "" {
			got = string(data)
		}
	}
	c.Step = func(_ triage.Key, _ int, s *triage.Step) error { note(&s.Action); return nil }
	c.Episode = func(_ int, ep *triage.Episode) error { note(&ep.Steps[0].Action); return nil }
	press(play.NewModel(started(t, c), play.Options{}), keys...)
	return got
}

func TestAPersonLeavesAsTheyChose(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		kept string
		keys []string
		ends bool
		want play.Outcome
	}{
		{"q with a folder", "runs/me", []string{"q"}, true, play.Left},
		{"q without one asks", "", []string{"q"}, false, play.Left},
		{"q twice without one", "", []string{"q", "q"}, true, play.Left},
		{"another key in between asks again", "", []string{"q", "1", "q"}, false, play.Left},
		{"ctrl+c", "", []string{"ctrl+c"}, true, play.BrokenOff},
		{"ctrl+c in help", "", []string{"?", "ctrl+c"}, true, play.BrokenOff},
		{"to the end", "", []string{"s", "s", "s", "s", "s", "s", "enter"}, true, play.Finished},
		{"back from the end", "", []string{"s", "s", "s", "s", "s", "s", "u"}, false, play.Left},
	} {
		s, _ := own(t)
		m := play.NewModel(s, play.Options{Kept: c.kept})
		ends := press(m, c.keys...)
		if got, err := m.Outcome(); ends != c.ends || got != c.want || err != nil {
			t.Errorf("%s: ends %v with %v, %v; want %v with %v", c.name, ends, got, err, c.ends, c.want)
		}
	}
}

func TestWithFeedbackNothingIsTakenBack(t *testing.T) {
	t.Parallel()
	s, j := own(t)
	m := play.NewModel(s, play.Options{Feedback: true})
	press(m, "1", "1", "enter")
	if text := ansi.Strip(m.View().Content); !strings.Contains(text, "right is printer queue") {
		t.Errorf("no feedback:\n%s", text)
	}
	press(m, "x", "u")
	if len(j.lines) != 1 || s.Ticket().At != 2 {
		t.Errorf("the answer was taken back: %v, ticket %d", j.lines, s.Ticket().At)
	}
}

func TestAnErrorOfTheDiskEndsTheProgram(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	c := new(journal).config(planOf(t, runner.Group{Agent: "human", Task: env.TicketsTask, Count: 2}))
	c.Episode = func(int, *triage.Episode) error { return full }
	m := play.NewModel(started(t, c), play.Options{})
	if !press(m, "s", "s") {
		t.Error("the program goes on")
	}
	if _, err := m.Outcome(); !errors.Is(err, full) {
		t.Errorf("the error is %v", err)
	}
}

func TestEveryScreenFitsTheTerminalWhateverIsPressed(t *testing.T) {
	t.Parallel()
	var keys []string
	for k := range keyOf {
		if k != "ctrl+c" {
			keys = append(keys, k)
		}
	}
	keys = append(keys, "1", "2", "5", "0", "u", "s", "?", "/", "z", "你")
	rapid.Check(t, func(rt *rapid.T) {
		plan := planOf(t, runner.Group{Agent: "human", Task: env.TicketsTask, Count: 3}, runner.Group{Agent: "human", Task: "desk-hard", First: 1, Count: 1})
		s := play.NewSession(new(journal).config(plan))
		if err := s.Start(t.Context()); err != nil {
			rt.Fatal(err)
		}
		defer s.Close()
		m := play.NewModel(s, play.Options{Rules: hostile, Feedback: rapid.Bool().Draw(rt, "feedback")})
		for range rapid.IntRange(1, 40).Draw(rt, "keys") {
			if rapid.IntRange(0, 4).Draw(rt, "resize") == 0 {
				resize(m, rapid.IntRange(0, 90).Draw(rt, "width"), rapid.IntRange(0, 30).Draw(rt, "height"))
			}
			press(m, rapid.SampledFrom(keys).Draw(rt, "key"))
			fits(rt, m)
		}
	})
}

// fits checks a screen against the size that the model was told last.
func fits(t interface{ Fatalf(string, ...any) }, m *play.Model) {
	width, height := m.Size()
	lines := strings.Split(m.View().Content, "\n")
	if len(lines) > height {
		t.Fatalf("%d lines in a terminal of %d", len(lines), height)
	}
	for _, line := range lines {
		if n := ansi.StringWidth(line); n > width {
			t.Fatalf("line %q takes %d columns of %d", line, n, width)
		}
		for _, r := range ansi.Strip(line) {
			if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' {
				t.Fatalf("%U is on the screen in %q", r, line)
			}
		}
	}
}

func TestATextWithoutSpacesOfAMebibyteIsShown(t *testing.T) {
	t.Parallel()
	big := rows{{Ticket: triage.Ticket{ID: "big", Subject: strings.Repeat("S", 1<<20), Body: strings.Repeat("\x1b[31m", 1<<18)}, Truth: triage.Truth{Labels: map[string]string{"team": "a"}}}}
	c := new(journal).config(planOf(t, runner.Group{Agent: "human", Task: env.TicketsTask, Count: 1}))
	c.NewEnv = func(string, triage.Int) (triage.Env, error) {
		return env.NewTickets(big, map[string][]string{"team": {"a", "b"}}), nil
	}
	m := play.NewModel(started(t, c), play.Options{})
	resize(m, 40, 15)
	press(m, "end", "pgup")
	fits(t, m)
}

func TestAPasteGoesIntoATextAndNowhereElse(t *testing.T) {
	t.Parallel()
	s := queue(t, "desk-hard")
	m := play.NewModel(s, play.Options{})
	m.Update(tea.PasteMsg{Content: "2\x1b[31m"})
	press(m, "1", "1", "1", "tab", "1")
	m.Update(tea.PasteMsg{Content: strings.Repeat("ask\nfor logs ", 1000) + "\x1b[2J"})
	press(m, "enter")
	if text := ansi.Strip(m.View().Content); s.Last() != nil || !strings.Contains(text, "allowed are at most 2000") {
		t.Errorf("a text that is too long was taken:\n%s", text)
	}
	fits(t, m)
}
