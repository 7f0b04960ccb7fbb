package near_test

import (
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/near"
)

func TestNearMissesAreFound(t *testing.T) {
	t.Parallel()
	known := []string{"score", "route", "route_accuracy", "urgency", "queue-hard", "errors", "q", "if"}
	for word, want := range map[string]string{
		"rout_accuracy": "route_accuracy", "scroe": "score", "Score": "score", "queue_hard": "queue-hard", "queue-hrad": "queue-hard", "error": "errors",
		"rout": "route", "latency": "", "score": "", "erors": "errors", "scöre": "score", "": "", "x": "", "z": "", "Q": "q", "fi": "if",
	} {
		got := near.Hint(word, known)
		if want != "" {
			want = "; did you mean " + want + "?"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

func TestTheOnlyWordThereIsIsNearToAnyLetter(t *testing.T) {
	t.Parallel()
	if got := near.Word("y", []string{"x"}); got != "x" {
		t.Errorf("%q", got)
	}
	if got := near.Word("y", []string{"x", "z"}); got != "" {
		t.Errorf("among two: %q", got)
	}
}

func TestAStrangersLongWordIsNotCompared(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 1<<20)
	if got := near.Edits(long, "score"); got != 1<<20 {
		t.Errorf("%d edits", got)
	}
	if got := near.Edits(long, long); got != 0 {
		t.Errorf("%d edits of a word and itself", got)
	}
	if got := near.Hint(long, []string{"score", ""}); got != "" {
		t.Errorf("hint %q", got)
	}
}

func TestEditsAreCounted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}, {"\xff", "é", 1}} {
		if a, b := near.Edits(tt.a, tt.b), near.Edits(tt.b, tt.a); a != tt.want || b != tt.want {
			t.Errorf("%q, %q: %d and %d, want %d", tt.a, tt.b, a, b, tt.want)
		}
	}
}
