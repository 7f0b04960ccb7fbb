package synth_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

// slack is added to both ends of the bars: samples here are smaller than those the bars are for.
const slack = 0.03

// band is a share that the design promises.
type band struct {
	kind, value string
	low, high   float64
}

func queueBands(d triage.Difficulty) []band {
	out := []band{{"route", "billing", 0.23, 0.27}, {"route", "technical", 0.28, 0.32}, {"route", "feature", 0.18, 0.22}, {"route", "feedback", 0.10, 0.14},
		{"route", "spam", 0.11, 0.15}, {"urgency", "low", 0.25, 0.38}, {"urgency", "medium", 0.25, 0.38}, {"urgency", "high", 0.18, 0.30},
		{"urgency", "critical", 0.11, 0.20}, {"difficulty", "easy", 0.24, 0.45}, {"difficulty", "medium", 0.24, 0.45}, {"difficulty", "hard", 0.24, 0.45}}
	for _, r := range []string{"billing", "technical", "feature"} {
		for _, u := range triage.Urgencies() {
			out = append(out, band{"urgency in " + r, string(u), 0, 0.45})
		}
		for _, x := range triage.Resolutions() {
			out = append(out, band{"difficulty in " + r, string(x), 0, 0.45})
		}
	}
	wrong := map[triage.Difficulty][2]float64{triage.Easy: {0, 0}, triage.Medium: {0.30, 0.10}, triage.Hard: {0.50, 0.15}}[d]
	out = append(out, band{"urgency in feedback", "low", 0, 0.60}, band{"selected_category", "wrong", wrong[0], wrong[0]},
		band{"selected_category", "empty", wrong[1], wrong[1]})
	if d == triage.Hard {
		out = append(out, band{"trap", "blended", 0.28, 0.38})
	} else {
		out = append(out, band{"trap", "blended", 0, 0})
	}
	return out
}

func deskBands() []band {
	var out []band
	for _, c := range triage.Categories() {
		out = append(out, band{"category", string(c), 0.30, 0.37})
	}
	for _, p := range triage.Priorities() {
		out = append(out, band{"priority", string(p), 0.18, 0.32})
	}
	for level, n := range map[string]int{"Bug": 4, "FeatureRequest": 3, "Question": 3} {
		for i := range n {
			out = append(out, band{"points in " + level, fmt.Sprint(2 * i), 1/float64(n) - 0.025, 1/float64(n) + 0.025})
		}
	}
	return append(out, band{"sentiment", "-0.80 and less", 0.08, 0.12}, band{"escalated", "true", 0.20, 0.30}, band{"wait", "under 4 h", 0.30, 0.45})
}

func TestSharesAreThoseOfTheDesign(t *testing.T) {
	t.Parallel()
	for _, k := range triage.Tasks() {
		for _, split := range triage.Splits() {
			t.Run(k.Name+"/"+string(split), func(t *testing.T) {
				t.Parallel()
				c := synth.Take(newSource(t, k.Name, split), 5_000_000, 3000, nil)
				bands := deskBands()
				if k.Track == triage.Queue {
					bands = queueBands(k.Difficulty)
				}
				for _, b := range bands {
					if s := c.Share(b.kind, b.value); s < b.low-slack || s > b.high+slack {
						t.Errorf("%s %s: %.3f, want %.2f to %.2f", b.kind, b.value, s, b.low, b.high)
					}
				}
				if k.Track == triage.Queue && k.Difficulty == triage.Easy && c.Share("selected_category", "right") != 1 {
					t.Error("the form of an easy ticket is always right")
				}
				if wait := c.Share("wait", "24 to 48 h") + c.Share("wait", "48 h and more"); wait < 0.20-slack || wait > 0.30+slack {
					t.Errorf("a wait of 24 hours and more: %.3f", wait)
				}
				if c.Texts != c.N {
					t.Errorf("%d of %d texts are different", c.Texts, c.N)
				}
				if near := float64(c.Near) / float64(c.N); near > 0.05+slack {
					t.Errorf("%.3f of the tickets have a near-duplicate", near)
				}
				for _, p := range c.Predicts {
					if (p.Field == "ticket_id" || p.Field == "position") && p.Accuracy > p.Majority+0.05 {
						t.Errorf("%s predicts %s: %.3f, majority %.3f", p.Field, p.Label, p.Accuracy, p.Majority)
					}
				}
			})
		}
	}
}

func TestCheckNamesEveryBarThatDoesNotHold(t *testing.T) {
	t.Parallel()
	c := synth.Take(newSource(t, "queue-easy", triage.Test), 1, 400, newSource(t, "queue-easy", triage.Train))
	if c.Seen <= 0 || c.Seen > 0.05 {
		t.Errorf("%.4f of the test 6-grams occur in train", c.Seen)
	}
	c.Counts["route"] = map[string]int{"billing": 99, "spam": 1}
	c.Texts, c.Near, c.Seen = c.N-1, c.N, 0.5
	failed := map[string]bool{}
	for _, x := range c.Check() {
		if !strings.HasPrefix(x.ID, "queue-easy/test/") || x.Description == "" || x.Expected == "" || x.Seen == "" {
			t.Errorf("check %+v", x)
		}
		failed[strings.TrimPrefix(x.ID, "queue-easy/test/")] = !x.Passed
	}
	for _, id := range []string{"route/billing", "route/technical", "route/spam", "texts", "near", "seen"} {
		if !failed[id] {
			t.Errorf("%s holds: %v", id, failed)
		}
	}
	if failed["selected_category/wrong"] {
		t.Error("the form of an easy ticket is never wrong")
	}

	d := synth.Take(newSource(t, "desk-easy", triage.Train), 1, 2000, nil)
	for _, x := range d.Check() {
		if strings.HasSuffix(x.ID, "/seen") {
			t.Error("train tickets are held against train")
		}
	}
	for k := range d.Counts["escalated by kind"] {
		d.Counts["escalated by kind"][k] = 0
	}
	d.Counts["escalated by kind"]["Bug 6"] = d.Counts["kind"]["Bug 6"]
	d.Counts["points in Bug"] = map[string]int{"0": 90, "2": 10, "4": 10, "6": 10}
	failed = map[string]bool{}
	for _, x := range d.Check() {
		failed[strings.TrimPrefix(x.ID, "desk-easy/train/")] = !x.Passed
	}
	if !failed["escalated by kind"] || !failed["points in Bug"] || failed["furious by kind"] {
		t.Errorf("escalation hangs on the kind, and levels are uneven: %v", failed)
	}
}
