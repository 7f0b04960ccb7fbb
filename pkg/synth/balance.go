package synth

import "github.com/triagebench/triage/pkg/triage"

// The balance of the queue track, in parts of a hundred. Facts are drawn by it before any scenario is chosen.
var (
	routeShares = []int{25, 30, 20, 12, 13} // in the order of [triage.Routes]

	// Urgency low, medium, high, critical within a route.
	urgencyShares = map[triage.Route][]int{
		triage.Billing:   {18, 35, 28, 19},
		triage.Technical: {18, 35, 28, 19},
		triage.Feature:   {28, 37, 23, 12},
		triage.Feedback:  {52, 30, 18, 0},
		triage.Spam:      {100, 0, 0, 0},
	}

	// Effort self-service, investigation, cross-team within a route.
	effortShares = map[triage.Route][]int{
		triage.Billing:   {27, 39, 34},
		triage.Technical: {27, 39, 34},
		triage.Feature:   {27, 36, 37},
		triage.Feedback:  {36, 34, 30},
		triage.Spam:      {100, 0, 0},
	}
)

// The shares of the desk track.
var (
	categoryShares = []int{1, 1, 1} // in the order of [triage.Categories]
	levelCounts    = map[triage.Category]int{triage.Bug: 4, triage.FeatureRequest: 3, triage.Question: 3}
)

// The shares of what is drawn independently of category and level.
var (
	tierShares     = []int{22, 30, 28, 20}         // in the order of [triage.Tiers]
	waitShares     = []int{36, 39, 13, 12}         // of the bands below
	waitBands      = []float64{0.1, 4, 24, 48, 96} // hours: band i is from waitBands[i] to under waitBands[i+1]
	contactsShares = []int{44, 26, 14, 9, 5, 2}    // 0 … 5
	toneShares     = []int{10, 24, 46, 20}         // in the order of tones
	deadlineWeight = map[triage.Deadline]int{triage.NoDeadline: 24, triage.Days: 8, triage.Hours: 8}
	// trifleWeight is that of a deadline on a trifle: people seldom set one.
	trifleWeight = map[triage.Deadline]int{triage.NoDeadline: 24, triage.Days: 2, triage.Hours: 1}
)

const escalatedShare = 0.25

// tone is the place of a tone in [scenario.Tones].
type tone int

const (
	toneFurious tone = iota
	toneAnnoyed
	toneNeutral
	tonePleased
)

// toneBands are the sentiment scores of the tones, in hundredths, both ends included.
var toneBands = [4][2]int{{-100, -80}, {-79, -40}, {-39, 39}, {40, 100}}
