package grade_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/grade"
	"github.com/triagebench/triage/pkg/triage"
)

// gradedAlike is a hash of what a fixed set of answers earns. Where it changes, scores of before do not compare with those of now:
// count number up in version.go, and write the new hash here.
const gradedAlike = "617af7798ea98d40"

func TestTheVersionChangesWithWhatAnswersEarn(t *testing.T) {
	t.Parallel()
	h := sha256.New()
	enc := json.NewEncoder(h)
	levels := []triage.Urgency{"", triage.UrgencyLow, triage.UrgencyHigh}
	for _, route := range append([]triage.Route{""}, triage.Routes()...) {
		for _, urgency := range levels {
			for _, difficulty := range []triage.Resolution{"", triage.ResolutionEasy, triage.ResolutionHard} {
				for _, priority := range []int{0, 48, 50, 55, 66} {
					truth := triage.QueueTruth{Route: triage.Billing, Urgency: triage.UrgencyMedium, Difficulty: triage.ResolutionMedium, Priority: 50, Secondary: triage.Feature}
					a := triage.QueueAction{Route: route, Urgency: urgency, Difficulty: difficulty, Priority: triage.IntOf(priority)}
					if err := enc.Encode([]any{grade.Queue(nil, &truth, &a), triage.Rounded(grade.Touches(&truth, &a))}); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	truth := triage.DeskTruth{Category: triage.Bug, Priority: triage.PriorityHigh, UrgencyDays: 3, Department: triage.Engineering, Credit: [4]float64{1, 0, 0, 0.5},
		Entities: [][]string{{"login"}, {"session token"}}, Distractors: []string{"invoice"}, Text: "Login fails\n\nMy session token is refused."}
	for _, a := range []triage.DeskAction{
		{}, {Category: triage.Bug, Priority: triage.PriorityMedium, UrgencyDays: triage.IntOf(5), Department: triage.Management},
		{Category: triage.Question, Priority: triage.PriorityLow, UrgencyDays: triage.IntOf(2), Recommendation: "Investigate the logs of the login and why the session token is refused."},
		{Recommendation: "login, session token"}, {Recommendation: "Debug the invoice."},
	} {
		for _, d := range triage.Difficulties() {
			if err := enc.Encode(grade.Desk(d, &truth, &a)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := hex.EncodeToString(h.Sum(nil))[:16]; got != gradedAlike {
		t.Errorf("answers earn something else (%s, not %s): count number up in version.go", got, gradedAlike)
	}
	if !regexp.MustCompile(`^[0-9]+-[0-9a-f]{8}$`).MatchString(grade.Version()) || !strings.HasPrefix(grade.Version(), "1-") {
		t.Errorf("version %q", grade.Version())
	}
}
