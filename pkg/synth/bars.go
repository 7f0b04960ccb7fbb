package synth

import (
	"fmt"
	"math"

	"github.com/triagebench/triage/pkg/triage"
)

// The bars that a large sample has to hold (docs of the balance: CONTRIBUTING, "How tickets are balanced").
const (
	barScenario = 0.02 // most of one scenario
	barNear     = 0.05 // most tickets with a near-duplicate
	barSeen     = 0.01 // most test 6-grams that train knows
	barPredict  = 0.03 // most that ids, position and lengths gain over the majority
	barIDs      = 0.01 // the same for ids and position
)

// Check holds a census against the bars.
func (c *Census) Check() []triage.Check {
	b := &bars{c: c}
	if c.Task.Track == triage.Queue {
		b.queue()
	} else {
		b.desk()
	}
	b.add("texts", "different texts", fmt.Sprint(c.N), fmt.Sprint(c.Texts), c.Texts == c.N)
	slug, share := c.TopScenario()
	b.add("scenario", "largest share of a scenario", "at most "+percent(barScenario), percent(share)+" "+slug, share <= barScenario)
	near := float64(c.Near) / float64(max(1, c.N))
	b.add("near", "tickets with a near-duplicate", "under "+percent(barNear), percent(near), near < barNear)
	if c.Split == triage.Test {
		b.add("seen", "test 6-grams that occur in train", "under "+percent(barSeen), fmt.Sprintf("%.2f %%", 100*c.Seen), c.Seen < barSeen)
	}
	for _, p := range c.Predicts {
		limit := 0.0
		switch p.Field {
		case "ticket_id", "position":
			limit = barIDs
		case "length of subject", "length of description", "length of issue_text":
			limit = barPredict
		default:
			continue
		}
		limit += 2 * math.Sqrt(p.Majority*(1-p.Majority)/float64(max(1, c.N/2))) // of the measurement itself
		b.add("predict/"+p.Field+"/"+p.Label, p.Field+" predicts "+p.Label, fmt.Sprintf("at most %s over the majority", percent(limit)),
			percent(p.Accuracy-p.Majority), p.Accuracy-p.Majority <= limit)
	}
	return b.checks
}

type bars struct {
	c      *Census
	checks []triage.Check
}

func (b *bars) add(id, what, expected, seen string, ok bool) {
	b.checks = append(b.checks, triage.Check{ID: b.c.Task.Name + "/" + string(b.c.Split) + "/" + id, Description: what, Expected: expected, Seen: seen, Passed: ok})
}

// within checks a share.
func (b *bars) within(kind, value string, low, high float64) {
	s := b.c.Share(kind, value)
	b.add(kind+"/"+value, kind+" "+value, percent(low)+" to "+percent(high), percent(s), s >= low && s <= high)
}

func (b *bars) queue() {
	for i, r := range triage.Routes() {
		want := float64(routeShares[i]) / 100
		b.within("route", string(r), want-0.02, want+0.02)
	}
	for i, u := range triage.Urgencies() {
		low, high := [4]float64{0.25, 0.25, 0.18, 0.11}[i], [4]float64{0.38, 0.38, 0.30, 0.20}[i]
		b.within("urgency", string(u), low, high)
	}
	for _, d := range triage.Resolutions() {
		b.within("difficulty", string(d), 0.24, 0.45)
	}
	for _, r := range []triage.Route{triage.Billing, triage.Technical, triage.Feature} {
		for _, u := range triage.Urgencies() {
			b.within("urgency in "+string(r), string(u), 0, 0.45)
		}
		for _, d := range triage.Resolutions() {
			b.within("difficulty in "+string(r), string(d), 0, 0.45)
		}
	}
	for _, u := range triage.Urgencies() {
		b.within("urgency in "+string(triage.Feedback), string(u), 0, 0.60)
	}
	n := formNoise[b.c.Task.Difficulty]
	b.within("selected_category", "wrong", max(0, n.wrong-0.02), n.wrong+0.02)
	b.within("selected_category", "empty", max(0, n.empty-0.02), n.empty+0.02)
	if b.c.Task.Difficulty == triage.Hard {
		b.within("trap", "blended", 0.28, 0.38)
	}
}

func (b *bars) desk() {
	for _, k := range triage.Categories() {
		b.within("category", string(k), 0.30, 0.37)
		low, high := 1.0, 0.0
		for level := range levelCounts[k] {
			s := b.c.Share("points in "+string(k), fmt.Sprint(2*level))
			low, high = min(low, s), max(high, s)
		}
		b.add("points in "+string(k), "spread of the point levels in "+string(k), "at most 5.0 %", percent(high-low), high-low <= 0.05)
	}
	for _, p := range triage.Priorities() {
		b.within("priority", string(p), 0.18, 0.32)
	}
	b.within("sentiment", "-0.80 and less", 0.08, 0.12)
	wait := b.c.Share("wait", "24 to 48 h") + b.c.Share("wait", "48 h and more")
	b.add("wait", "wait of 24 hours and more", "20.0 % to 30.0 %", percent(wait), wait >= 0.20 && wait <= 0.30)
	b.within("escalated", "true", 0.20, 0.30)
	b.independent("furious by kind", "sentiment at or under -0.8")
	b.independent("long wait by kind", "a wait of 24 hours and more")
	b.independent("escalated by kind", "escalation")
}

// independent checks that a property is as frequent in each category and level as over all, within four standard errors.
func (b *bars) independent(kind, what string) {
	total, all := 0, 0
	for _, k := range b.c.Values("kind") {
		total += b.c.Counts[kind][k]
		all += b.c.Counts["kind"][k]
	}
	p := float64(total) / float64(max(1, all))
	worst, at := 0.0, ""
	for _, k := range b.c.Values("kind") {
		n := float64(b.c.Counts["kind"][k])
		z := math.Abs(float64(b.c.Counts[kind][k])/n-p) / math.Sqrt(p*(1-p)/n)
		if z > worst {
			worst, at = z, k
		}
	}
	b.add(kind, what+" is independent of category and level", "within 4 standard errors", fmt.Sprintf("%.1f at %s", worst, at), worst <= 4)
}
