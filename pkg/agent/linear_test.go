package agent_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/linear"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/testkit"
	"github.com/triagebench/triage/pkg/triage"
)

// ownModel trains on some tickets: the team follows from a word, the level from another.
func ownModel(t testing.TB) *agent.LinearModel {
	t.Helper()
	teams := map[string]string{"billing": "refund of the invoice", "tech": "error in the login page"}
	levels := map[string]string{"low": "whenever you like", "high": "right now please"}
	var cases []triage.Case
	for i := range 40 {
		for _, team := range []string{"billing", "tech"} {
			for _, level := range []string{"low", "high"} {
				c := triage.Case{Ticket: triage.Ticket{ID: fmt.Sprint(i), Subject: "number " + fmt.Sprint(i), Body: teams[team] + " " + levels[level], Fields: map[string]string{"channel": "mail"}},
					Truth: triage.Truth{Labels: map[string]string{"team": team, "level": level}}}
				if i == 0 {
					delete(c.Truth.Labels, "level") // some have no label
				}
				cases = append(cases, c)
			}
		}
	}
	columns := []agent.OwnColumn{{Name: "level", Values: []string{"low", "high"}, Ordered: true}, {Name: "team", Values: []string{"billing", "tech", "never"}}}
	set, err := agent.LinearOwnSet(t.Context(), len(cases), columns, func(i int) (triage.Case, error) { return cases[i], nil }, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := agent.TrainLinearOwn(t.Context(), set, agent.LinearAbout{Source: "abc"}, linear.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ownTicket is an imported ticket.
func ownTicket(subject, body string, labels map[string][]string) triage.Observation {
	return triage.Observation{Dataset: &triage.DatasetObservation{TicketID: "1", Subject: subject, Body: body, Labels: labels}}
}

func answer(t testing.TB, m *agent.LinearModel, o triage.Observation) triage.Action {
	t.Helper()
	a, err := m.Answer(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

var bothColumns = map[string][]string{"team": {"billing", "tech", "other"}, "level": {"low", "high"}}

func TestAModelOfOwnTicketsAnswersTheirLabelsAndNoOtherValues(t *testing.T) {
	t.Parallel()
	m := ownModel(t)
	for _, x := range []struct {
		name    string
		allowed map[string][]string
		want    map[string]string
	}{
		{"both columns", bothColumns, map[string]string{"team": "billing", "level": "high"}},
		{"a column that it does not know", map[string][]string{"team": {"billing", "tech"}, "mood": {"good", "bad"}}, map[string]string{"team": "billing"}},
		{"the likeliest value is not allowed", map[string][]string{"team": {"tech", "other"}}, map[string]string{"team": "tech"}},
		{"no value that it has seen is allowed", map[string][]string{"team": {"never", "other"}, "level": {"low", "high"}}, map[string]string{"level": "high"}},
		{"nothing is asked", nil, map[string]string{}},
	} {
		o := ownTicket("Refund", "a refund of the invoice, right now please", x.allowed)
		a := answer(t, m, o)
		if d := cmp.Diff(x.want, a.Labels); d != "" {
			t.Errorf("%s (-want +got):\n%s", x.name, d)
		}
		if err := a.Validate(triage.Dataset, x.allowed); err != nil {
			t.Errorf("%s: %v", x.name, err)
		}
	}
}

func TestAModelIsOnlyPlayedOnWhatItWasTrainedFor(t *testing.T) {
	t.Parallel()
	m := ownModel(t)
	l, err := agent.NewLinear(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []triage.Observation{{Queue: &triage.QueueObservation{}}, {Desk: &triage.DeskObservation{}}} {
		if _, err := l.Act(t.Context(), o); triage.CodeOf(err) != triage.CodeUsage {
			t.Errorf("a model of own tickets plays the bank: %v", err)
		}
		if _, err := m.Explain(o); triage.CodeOf(err) != triage.CodeUsage {
			t.Errorf("a model of own tickets explains the bank: %v", err)
		}
	}
	for _, x := range []struct {
		name    string
		columns map[string][]string
		want    []string
		refused string
	}{
		{"the same", map[string][]string{"team": {"billing", "tech"}, "level": {"low", "high"}}, nil, ""},
		{"other values", map[string][]string{"team": {"billing", "sales"}, "level": {"low", "high"}}, []string{
			"label team: the model never saw sales, so it never answers that", "label team: the tickets do not allow tech, which the model knows"}, ""},
		{"one more column, one less", map[string][]string{"team": {"billing", "tech"}, "mood": {"good"}}, []string{
			"label mood is unknown to the model, so it answers nothing: it knows level, team"}, ""},
		{"one column has none of its values", map[string][]string{"team": {"x"}, "level": {"low", "high"}}, []string{
			"label team: the model knows none of the values, so it answers nothing: it knows billing, tech; the file has x"}, ""},
		{"other columns", map[string][]string{"mood": {"good"}}, nil, "the model was trained for other labels: it knows level, team; the tickets have mood"},
		{"the same names, other values", map[string][]string{"team": {"x"}}, nil, "the model was trained for other labels: it knows level, team; the tickets have team"},
	} {
		got, err := m.Fit(x.columns)
		if x.refused != "" {
			if triage.CodeOf(err) != triage.CodeUsage || err.Error() != x.refused {
				t.Errorf("%s: %v, want %s", x.name, err, x.refused)
			}
			continue
		}
		if d := cmp.Diff(x.want, got); d != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", x.name, err, d)
		}
	}
}

func TestAModelFileIsReadBackAndGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	m := ownModel(t)
	var file, again bytes.Buffer
	if err := m.Write(&file); err != nil {
		t.Fatal(err)
	}
	read, err := agent.ReadLinear(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if read.Digest != m.Digest || read.About != m.About || len(m.Digest) != 16 {
		t.Errorf("read back: %+v %s, written %+v %s", read.About, read.Digest, m.About, m.Digest)
	}
	if err := read.Write(&again); err != nil || !bytes.Equal(file.Bytes(), again.Bytes()) {
		t.Errorf("written again it differs: %v", err)
	}
	o := ownTicket("x", "error in the login page whenever you like", bothColumns)
	if d := cmp.Diff(answer(t, m, o), answer(t, read, o)); d != "" {
		t.Errorf("it answers otherwise (-want +got):\n%s", d)
	}
	for room := range file.Len() {
		if err := read.Write(&testkit.Full{Room: room}); !errors.Is(err, testkit.ErrFull) {
			t.Fatalf("with room for %d bytes of %d: %v", room, file.Len(), err)
		}
		if room > 200 {
			break
		}
	}
}

func TestAFileThatIsNoWholeModelIsRefusedAndSaysWhy(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	if err := ownModel(t).Write(&file); err != nil {
		t.Fatal(err)
	}
	whole := file.String()
	first, rest, _ := strings.Cut(whole, "\n")
	about, bundle, _ := strings.Cut(rest, "\n")
	for _, x := range []struct{ name, file, want string }{
		{"empty", "", "the file is empty"},
		{"a text", "subject,body\nhello,world\n", "it is no model: a file of `triage train` begins with \"triage linear model 1\""},
		{"a long line", strings.Repeat("x", 1<<20), "it is no model"},
		{"another version", "triage linear model 2\n" + rest, "it is a model of version \"2\", and this program reads version 1: train it again"},
		{"a hostile version", "triage linear model " + strings.Repeat("\x1b[31m", 99) + "\n" + rest, "it is a model of version"},
		{"one line", first + "\n", "the file is not whole"},
		{"a second line that is no JSON", first + "\nxyz\n" + bundle, "line 2 does not say what it was trained on"},
		{"no bundle", first + "\n" + about + "\n", ""},
		{"half a bundle", whole[:len(whole)-len(bundle)/2], ""},
		{"a byte is missing", whole[:len(whole)-1], ""},
		{"a byte too many", whole + "x", ""},
		{"a byte is turned", whole[:len(whole)-50] + string(whole[len(whole)-50]^1) + whole[len(whole)-49:], ""},
		{"it says it is of the bank", first + "\n" + `{"bank":true}` + "\n" + bundle, "it says it is of the bank, but "},
	} {
		_, err := agent.ReadLinear(strings.NewReader(x.file))
		if triage.CodeOf(err) != triage.CodeUsage || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %q", x.name, err, x.want)
		}
	}
	if _, err := agent.ReadLinear(brokenReader{}); !errors.Is(err, errRead) || triage.CodeOf(err) == triage.CodeUsage {
		t.Errorf("a reader that fails: %v", err)
	}
}

var errRead = errors.New("the disk is gone")

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errRead }

func FuzzReadLinear(f *testing.F) {
	var file bytes.Buffer
	if err := ownModel(f).Write(&file); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Add([]byte("triage linear model 1\n{}\n"))
	f.Add([]byte("triage linear model 9\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := agent.ReadLinear(bytes.NewReader(data))
		if err != nil {
			return
		}
		a := answer(t, m, ownTicket("refund", "now", bothColumns))
		if !m.About.Bank {
			if err := a.Validate(triage.Dataset, bothColumns); err != nil {
				t.Error(err)
			}
		}
	})
}

// hostile are texts that strangers write.
func hostile() []string {
	return []string{"", " ", "\x00\x1b[2J\x7f", "<script>alert(1)</script>", "=cmd()|'/c calc'!A0", "| a | b |", "\xff\xfe\xc3", strings.Repeat("a", 1<<20),
		strings.Repeat("refund ", 1<<17), "\u202e\u200b\U0001f600", strings.Repeat("\n", 1000)}
}

func TestHostileTextsAreAnsweredWithAllowedValuesAndFiniteNumbers(t *testing.T) {
	t.Parallel()
	bank, err := agent.EmbeddedLinear()
	if err != nil {
		t.Fatal(err)
	}
	mine := ownModel(t)
	for _, text := range hostile() {
		for _, x := range []struct {
			m     *agent.LinearModel
			o     triage.Observation
			track triage.Track
		}{
			{mine, triage.Observation{Dataset: &triage.DatasetObservation{Subject: text, Body: text, Fields: map[string]string{text: text, "n": "NaN"}, Labels: bothColumns}}, triage.Dataset},
			{bank, triage.Observation{Desk: &triage.DeskObservation{IssueText: text, SentimentScore: math.NaN(), WaitTimeHours: math.Inf(1)}}, triage.Desk},
			{bank, triage.Observation{Queue: &triage.QueueObservation{Task: text, Ticket: &triage.QueueTicket{Subject: text, Description: text,
				Metadata: triage.Metadata{WaitTimeHours: math.NaN(), SelectedCategory: triage.Route(text)}}}}, triage.Queue},
			{bank, ownTicket(text, text, map[string][]string{"route": {"billing", "technical"}}), triage.Dataset},
		} {
			a := answer(t, x.m, x.o)
			labels := map[string][]string{}
			if x.o.Dataset != nil {
				labels = x.o.Dataset.Labels
			}
			if err := a.Validate(x.track, labels); err != nil {
				t.Errorf("%.20q: %v", text, err)
			}
			list, err := x.m.Explain(x.o)
			if err != nil {
				t.Fatalf("%.20q: %v", text, err)
			}
			for _, e := range list {
				if !(e.Confidence > 0 && e.Confidence <= 1+1e-9) {
					t.Errorf("%.20q: confidence of %s is %v", text, e.Label, e.Confidence)
				}
				for _, w := range e.Words {
					if math.IsNaN(w.Weight) || math.IsInf(w.Weight, 0) {
						t.Errorf("%.20q: weight of %.20q is %v", text, w.Text, w.Weight)
					}
				}
			}
		}
	}
}

func TestAnExplanationAddsUpToTheOddsOfTheAnswerAgainstTheSecond(t *testing.T) {
	t.Parallel()
	m := ownModel(t)
	list, err := m.Explain(ownTicket("Refund", "a refund of the invoice, right now please", bothColumns))
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[0].Label != "level" || list[1].Label != "team" {
		t.Fatalf("explained are %+v", list)
	}
	for _, e := range list {
		sum := 0.0
		for _, w := range e.Words {
			sum += w.Weight
		}
		if want := math.Log(e.Confidence / e.SecondConfidence); math.Abs(sum-want) > 1e-6*math.Max(1, math.Abs(want)) {
			t.Errorf("%s: the words add up to %v, the odds are %v", e.Label, sum, want)
		}
	}
	team := list[1]
	if top := team.Words[0].Text; team.Answer != "billing" || team.Second != "tech" || !strings.Contains("refund of the invoice", top) {
		t.Errorf("the team is explained by %+v", team.Words[0])
	}
}

// newEnvs makes environments of the public bank.
func newEnvs(t testing.TB, split triage.Split) func(task string) (triage.Env, error) {
	t.Helper()
	bank, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	return func(name string) (triage.Env, error) {
		task, err := triage.TaskByName(name)
		if err != nil {
			return nil, err
		}
		return env.New(task, split, func(s triage.Split) (env.Source, error) { return synth.New(bank, task, s, nil) })
	}
}

func TestTheEmbeddedModelIsOverTheFloorOnEveryTaskOfTest(t *testing.T) {
	t.Parallel()
	a, err := agent.New("linear")
	if err != nil {
		t.Fatal(err)
	}
	for name, least := range map[string]float64{"queue-easy": 0.85, "queue-medium": 0.65, "queue-hard": 0.5, "desk-easy": 0.7, "desk-medium": 0.7, "desk-hard": 0.5} {
		e, err := newEnvs(t, triage.Test)(name)
		if err != nil {
			t.Fatal(err)
		}
		n, sum := 20, 0.0
		if strings.HasPrefix(name, "desk") {
			n = 100
		}
		for seed := range n {
			ep, err := runner.Play(t.Context(), e, a, triage.Key{Agent: "linear", Task: name, Seed: int64(seed)}, triage.ResetOptions{})
			if err != nil || ep.Score == nil {
				t.Fatalf("%s %d: %v", name, seed, err)
			}
			sum += *ep.Score
		}
		if mean := sum / float64(n); mean < least {
			t.Errorf("%s: %v, want %v and more", name, mean, least)
		}
	}
}

func TestABankModelTrainsOnTrainOnlyAndIsTheSameWithAnyNumberOfWorkers(t *testing.T) {
	t.Parallel()
	var one, two bytes.Buffer
	for out, workers := range map[*bytes.Buffer]int{&one: 1, &two: 3} {
		m, _, err := agent.TrainLinearBank(t.Context(), newEnvs(t, triage.Train), "1-x", 60, workers, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Write(out); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("one worker and three give other bytes")
	}
	m, err := agent.ReadLinear(&one)
	if err != nil || !m.About.Bank || m.About.Tickets != 360 || m.About.Source != "1-x" {
		t.Errorf("read back: %+v, %v", m, err)
	}
}

func TestTrainingStopsWhenItIsToldToAndTellsWhatAnEnvironmentCannot(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := agent.LinearOwnSet(ctx, 1, nil, func(int) (triage.Case, error) { return triage.Case{}, nil }, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("own tickets: %v", err)
	}
	if _, err := agent.LinearOwnSet(t.Context(), 1, nil, func(int) (triage.Case, error) { return triage.Case{}, errRead }, nil); !errors.Is(err, errRead) {
		t.Errorf("a ticket that cannot be read: %v", err)
	}
	silent := func(string) (triage.Env, error) { return mute{}, nil }
	if _, err := agent.LinearBankSet(t.Context(), silent, 1, nil); triage.CodeOf(err) != triage.CodeUsage {
		t.Errorf("an environment without truth: %v", err)
	}
	none := func(string) (triage.Env, error) { return nil, errRead }
	if _, err := agent.LinearBankSet(t.Context(), none, 1, nil); !errors.Is(err, errRead) {
		t.Errorf("no environment: %v", err)
	}
}

// mute is an environment that does not tell the truth.
type mute struct{ triage.Env }

func TestALongColumnIsATextAListIsItsEntriesAndANumberIsARange(t *testing.T) {
	t.Parallel()
	x := agent.LinearFeatures(triage.Observation{Dataset: &triage.DatasetObservation{Subject: "s", Body: "b", Fields: map[string]string{
		"channel": " Email ", "empty": " ", "tags": "one\ntwo", "amount": "1234.5", "code": "42", "note": "this is a note of more than six words"}}})
	want := linear.Example{Texts: []linear.Text{{Name: "subject", Text: "s"}, {Name: "body", Text: "b"}, {Name: "field note", Text: "this is a note of more than six words"}},
		Fields: []string{"amount 1e+03", "channel email", "code 42", "tags one", "tags two"}}
	if d := cmp.Diff(want, x); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func BenchmarkLinear(b *testing.B) {
	m, err := agent.EmbeddedLinear()
	if err != nil {
		b.Fatal(err)
	}
	l, err := agent.NewLinear(m)
	if err != nil {
		b.Fatal(err)
	}
	e, err := newEnvs(b, triage.Test)("queue-hard")
	if err != nil {
		b.Fatal(err)
	}
	r, err := e.Reset(b.Context(), triage.ResetOptions{Seed: 42})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.Act(b.Context(), r.Observation); err != nil {
			b.Fatal(err)
		}
	}
}
