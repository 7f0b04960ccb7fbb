package triage_test

import (
	"math"

	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/triage"
)

// texts draws texts of every nasty kind: control characters, quotes, line separators, emoji and bytes that are no UTF-8.
func texts() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		pieces := rapid.SliceOfN(rapid.OneOf(
			rapid.SampledFrom([]string{"", "a", " ", "\x00", "\x1f", "\x7f", "\n", "\r\n", "\t", "\b", "\f", `"`, `\`, `\u0041`, "/", "<", ">",
				"&", "\u2028", "\u2029", "\ufffd", "\ufeff", "é", "日本", "🙂", "\xff", "\xc3", "\xe2\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80"}),
			rapid.String(),
			rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 4), func(b []byte) string { return string(b) }),
		), 0, 6).Draw(t, "pieces")
		out := ""
		for _, p := range pieces {
			out += p
		}
		return out
	})
}

// valid is the text that a reader of the JSON sees: each byte that is no UTF-8 is U+FFFD.
func valid(s string) string { return string([]rune(s)) }

func finite(t *rapid.T, label string) float64 {
	return rapid.OneOf(
		rapid.Float64Range(0, 1),
		rapid.Float64().Filter(func(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) }),
		rapid.SampledFrom([]float64{0, 1, -1, 0.1, 1.0 / 3, 1e15, 1e21, 1e-7, math.MaxFloat64, math.SmallestNonzeroFloat64, 123456789}),
	).Draw(t, label)
}

func small(t *rapid.T, label string) int { return rapid.IntRange(-3, 1000).Draw(t, label) }

func part(t *rapid.T) triage.Part {
	return triage.Part{Name: texts().Draw(t, "name"), Value: finite(t, "value"), Weight: finite(t, "weight")}
}

func queueObservation(t *rapid.T) *triage.QueueObservation {
	o := &triage.QueueObservation{Task: texts().Draw(t, "task"), Position: small(t, "position"), TotalTickets: small(t, "total"),
		Remaining: small(t, "remaining"), Message: texts().Draw(t, "message")}
	if rapid.Bool().Draw(t, "has stats") {
		o.Stats = &triage.QueueStats{Processed: small(t, "processed"), MeanReward: finite(t, "mean"), RouteAccuracy: finite(t, "accuracy"),
			Efficiency: finite(t, "efficiency")}
	}
	if rapid.Bool().Draw(t, "has ticket") {
		o.Ticket = &triage.QueueTicket{ID: texts().Draw(t, "id"), Subject: texts().Draw(t, "subject"), Description: texts().Draw(t, "description"),
			Metadata: triage.Metadata{Channel: texts().Draw(t, "channel"), CustomerTier: triage.Tier(valid(texts().Draw(t, "tier"))),
				WaitTimeHours: finite(t, "wait"), IsEscalated: rapid.Bool().Draw(t, "escalated"), PreviousContacts: small(t, "contacts"),
				SelectedCategory: triage.Route(valid(texts().Draw(t, "selected"))), Language: texts().Draw(t, "language"), Attachments: small(t, "files")}}
	}
	if rapid.Bool().Draw(t, "has result") {
		o.LastResult = &triage.QueueResult{TicketID: texts().Draw(t, "result id"), Reward: finite(t, "reward"),
			Correct: rapid.Bool().Draw(t, "correct"), Parts: rapid.SliceOfN(rapid.Custom(part), 0, 4).Draw(t, "parts")}
	}
	return o
}

func deskObservation(t *rapid.T) *triage.DeskObservation {
	return &triage.DeskObservation{TicketID: texts().Draw(t, "id"), CustomerName: texts().Draw(t, "name"), IssueText: texts().Draw(t, "text"),
		IssueType: texts().Draw(t, "type"), SentimentScore: finite(t, "sentiment"), WaitTimeHours: finite(t, "wait"),
		IsEscalated: rapid.Bool().Draw(t, "escalated"), StepCount: small(t, "steps"),
		TaskDifficulty: triage.Difficulty(valid(texts().Draw(t, "difficulty"))), Message: texts().Draw(t, "message")}
}

func datasetObservation(t *rapid.T) *triage.DatasetObservation {
	return &triage.DatasetObservation{TicketID: texts().Draw(t, "id"), Subject: texts().Draw(t, "subject"), Body: texts().Draw(t, "body"),
		Fields: rapid.MapOfN(rapid.Map(texts(), valid), texts(), 0, 3).Draw(t, "fields"),
		Labels: rapid.MapOfN(rapid.Map(texts(), valid), rapid.SliceOfN(texts(), 0, 3), 0, 3).Draw(t, "labels")}
}

func observation(t *rapid.T, track triage.Track) triage.Observation {
	switch track {
	case triage.Queue:
		return triage.Observation{Queue: queueObservation(t)}
	case triage.Desk:
		return triage.Observation{Desk: deskObservation(t)}
	}
	return triage.Observation{Dataset: datasetObservation(t)}
}

func anyTrack() *rapid.Generator[triage.Track] {
	return rapid.SampledFrom([]triage.Track{triage.Queue, triage.Desk, triage.Dataset})
}

// word draws a value of a list, the empty one, or one that is not allowed.
func word[T ~string](t *rapid.T, label string, allowed []T) T {
	return rapid.OneOf(rapid.SampledFrom(append(allowed, "")), rapid.SampledFrom([]T{"x", "Low ", "bug", "null"})).Draw(t, label)
}

func maybeInt(t *rapid.T, label string) triage.Int {
	if rapid.Bool().Draw(t, "has "+label) {
		return triage.IntOf(rapid.IntRange(-2, 110).Draw(t, label))
	}
	return triage.Int{}
}

// typedAction draws an action whose fields may hold what is not allowed.
func typedAction(t *rapid.T, track triage.Track, labels map[string][]string) triage.Action {
	a := triage.Action{Track: track}
	switch track {
	case triage.Queue:
		a.Queue = triage.QueueAction{Route: word(t, "route", triage.Routes()), Urgency: word(t, "urgency", triage.Urgencies()),
			Difficulty: word(t, "difficulty", triage.Resolutions()), Priority: maybeInt(t, "priority")}
	case triage.Desk:
		a.Desk = triage.DeskAction{Category: word(t, "category", triage.Categories()), Priority: word(t, "priority", triage.Priorities()),
			UrgencyDays: maybeInt(t, "days"), Department: word(t, "department", triage.Departments()),
			Recommendation: rapid.OneOf(texts(), longText()).Draw(t, "recommendation")}
	default:
		a.Labels = map[string]string{}
		for _, c := range []string{"queue", "team", "no such column", "metadata"} {
			if v := word(t, c, append([]string{"nowhere"}, labels[c]...)); v != "" {
				a.Labels[c] = v
			}
		}
	}
	return a
}

// longText draws texts about as long as a recommendation may be, of characters of one to four bytes.
func longText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		r := rapid.SampledFrom([]rune{'a', 'é', '日', '🙂'}).Draw(t, "character")
		n := rapid.IntRange(triage.MaxRecommendation-2, triage.MaxRecommendation+2).Draw(t, "characters")
		out := make([]rune, n)
		for i := range out {
			out[i] = r
		}
		return string(out)
	})
}

func pointer(v float64) *float64 { return &v }

// reply draws what a model answered.
func reply(t *rapid.T) triage.Reply {
	return triage.Reply{Stage: texts().Draw(t, "stage"), Cause: texts().Draw(t, "cause"), Coerced: rapid.SliceOfN(texts(), 0, 2).Draw(t, "coerced"),
		Text: texts().Draw(t, "text"), Refusal: texts().Draw(t, "refusal"), Tool: rapid.Bool().Draw(t, "tool"),
		Finish: texts().Draw(t, "finish"), Reasoning: small(t, "reasoning"), Model: texts().Draw(t, "model"), Fingerprint: texts().Draw(t, "fingerprint")}
}
