package split_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/triagebench/triage/pkg/split"
)

func TestShortTextsOfOneTemplateAreNoChain(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 4))
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	texts := map[string]int{}
	var items []split.Item
	for i := range 1500 {
		text := fmt.Sprintf("%s with the %s of our %s in %s since the update on %s", pick("Problem", "Trouble", "Question", "Error"),
			pick("export", "import", "login", "search", "report", "print"), pick("shop", "desk", "app", "portal", "planner"),
			pick("Bremen", "Leeds", "Lyon", "Porto", "Turin", "Ghent", "Malmo", "Graz"), pick("Monday", "Tuesday", "Friday", "Sunday"))
		texts[text]++
		items = append(items, split.Item{ID: fmt.Sprint(i), Text: text})
	}
	most := 0
	for _, n := range texts {
		most = max(most, n)
	}
	got := divided(t, split.Options{By: split.AtRandom}, items)
	if got.Largest[0].Size != most || got.Test < 200 || got.After.Copies != 0 {
		t.Errorf("the largest group has %d tickets, want the %d of one text; %d for testing; %+v", got.Largest[0].Size, most, got.Test, got.After)
	}
}

func TestShortCopiesAreOneGroupWhateverTheirCaseAndNumbers(t *testing.T) {
	t.Parallel()
	items := []split.Item{{ID: "a", Text: "Order 17 is late"}, {ID: "b", Text: "order 4711 is LATE!"}, {ID: "c", Text: "Order 17 is here"}}
	if got := divided(t, split.Options{By: split.AtRandom}, items); got.Groups != 1 || got.Grouped != 2 || got.Side(0) != got.Side(1) {
		t.Errorf("%d groups of %d tickets", got.Groups, got.Grouped)
	}
}
