package play_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/play"
	"github.com/triagebench/triage/pkg/testkit"
	"github.com/triagebench/triage/pkg/triage"
)

func TestASittingLineByLineIsItsGolden(t *testing.T) {
	t.Parallel()
	s, j := own(t)
	var b bytes.Buffer
	in := "nonsense\n?\nPRINTER\n3\n1\n:undo\nbilling\n\n:undo\n1\nlow\n:skip\n:skip\n"
	got, err := play.Plain(t.Context(), s, play.Options{Rules: "Be kind.\n"}, strings.NewReader(in), &b)
	if got != play.Finished || err != nil {
		t.Errorf("it ends with %v, %v", got, err)
	}
	testkit.Golden(t, "testdata/plain.golden", b.String())
	want := map[int]map[string]string{0: {"team": "billing", "urgency": "low"}, 1: {}, 2: {}}
	answers := map[int]map[string]string{}
	for place, ep := range j.episodes {
		answers[place] = map[string]string{}
		maps.Copy(answers[place], ep.Steps[0].Action.Labels)
	}
	if diff := cmp.Diff(want, answers); diff != "" {
		t.Error(diff)
	}
}

func TestPlainLeavesAtTheEndOfItsInput(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{"nothing": "", "in the middle": "1\n", "quit": "1\n:quit\n1\n1\n", "no last line end": "1\n1"} {
		s, _ := own(t)
		if got, err := play.Plain(t.Context(), s, play.Options{}, strings.NewReader(in), io.Discard); got != play.Left || err != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestPlainTellsOfABrokenInputOrOutput(t *testing.T) {
	t.Parallel()
	broken := errors.New("it is broken")
	s, _ := own(t)
	if _, err := play.Plain(t.Context(), s, play.Options{}, iotest.ErrReader(broken), io.Discard); !errors.Is(err, broken) {
		t.Errorf("input: %v", err)
	}
	for n := range 40 {
		s, _ := own(t)
		w := &testkit.Full{Room: n * 20}
		_, err := play.Plain(t.Context(), s, play.Options{}, strings.NewReader("1\n1\n1\n1\n1\n1\n"), w)
		if !errors.Is(err, testkit.ErrFull) {
			t.Fatalf("room for %d bytes: %v", n*20, err)
		}
	}
	s, _ = own(t)
	if _, err := play.Plain(t.Context(), s, play.Options{}, strings.NewReader(strings.Repeat("x", 2<<20)), io.Discard); err == nil {
		t.Error("an endless line is no error")
	}
}

func TestPlainEndsWithItsContextThoughNothingIsTyped(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	s, _ := own(t)
	r, w := io.Pipe()
	defer func() { _ = w.Close() }()
	cause := &triage.Error{Code: triage.CodeUsage, Message: "told to stop"}
	cancel(cause)
	if got, err := play.Plain(ctx, s, play.Options{}, r, io.Discard); got != play.BrokenOff || !errors.Is(err, cause) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestPlainShowsFeedbackAndTakesNothingBackThen(t *testing.T) {
	t.Parallel()
	s, _ := own(t)
	var b bytes.Buffer
	if _, err := play.Plain(t.Context(), s, play.Options{Feedback: true}, strings.NewReader("1\nlow\n:undo\n"), &b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"team: 0.00, billing is wrong; right is printer queue", "with --feedback nothing is taken back"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}
