package synth

import (
	"math"
	"testing"

	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

// TestFormNoiseLeavesTextAndFacts changes how often the form is wrong. It is not parallel: it changes a table.
func TestFormNoiseLeavesTextAndFacts(t *testing.T) {
	bank, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	task, err := triage.TaskByName("queue-hard")
	if err != nil {
		t.Fatal(err)
	}
	src, err := New(bank, task, triage.Test, nil)
	if err != nil {
		t.Fatal(err)
	}
	const n = 240
	var before [n]triage.Case
	for i := range before {
		before[i] = *src.Ticket(int64(i/12), i%12)
	}
	was := formNoise[triage.Hard]
	defer func() { formNoise[triage.Hard] = was }()
	formNoise[triage.Hard] = struct{ wrong, empty float64 }{wrong: 1}
	changed := 0
	for i := range before {
		c := src.Ticket(int64(i/12), i%12)
		if c.Ticket.Subject != before[i].Ticket.Subject || c.Ticket.Body != before[i].Ticket.Body || c.Ticket.ID != before[i].Ticket.ID ||
			c.Facts.Primary != before[i].Facts.Primary || *c.Truth.Queue != *before[i].Truth.Queue {
			t.Fatalf("ticket %d: the form changes more than the form", i)
		}
		if c.Ticket.Metadata.SelectedCategory == c.Facts.Primary.Route || c.Ticket.Metadata.SelectedCategory == "" {
			t.Errorf("ticket %d: the form is right or empty", i)
		}
		if c.Ticket.Metadata.SelectedCategory != before[i].Ticket.Metadata.SelectedCategory {
			changed++
		}
	}
	if changed == 0 {
		t.Error("no form changed")
	}
}

func TestKeysOfStreamsDiffer(t *testing.T) {
	t.Parallel()
	k := newKeyer(nil)
	type call struct {
		name           string
		split          triage.Split
		task           string
		seed, position int64
	}
	seen := map[[32]byte]call{}
	for _, c := range []call{
		{"facts", "test", "queue-easy", 1, 0}, {"text", "test", "queue-easy", 1, 0}, {"facts", "train", "queue-easy", 1, 0},
		{"facts", "test", "queue-hard", 1, 0}, {"facts", "test", "queue-easy", 0, 1}, {"facts", "test", "queue-easy", 1, 1},
		{"facts", "test", "queue-easy", math.MaxInt64, 0}, {"fact", "stest", "queue-easy", 1, 0}, {"facts", "testq", "ueue-easy", 1, 0},
	} {
		key := k.key(c.name, c.split, c.task, c.seed, c.position)
		if other, ok := seen[key]; ok {
			t.Errorf("%v and %v have the same key", c, other)
		}
		if key != newKeyer([]byte{}).key(c.name, c.split, c.task, c.seed, c.position) {
			t.Errorf("%v has two keys", c)
		}
		seen[key] = c
	}
}

func TestDraws(t *testing.T) {
	t.Parallel()
	var d draws
	d.seed([32]byte{1})
	if got := d.pick(nil); got != "" {
		t.Errorf("nothing to pick gives %q", got)
	}
	counts := [3]int{}
	for range 3000 {
		counts[d.weighted([]int{1, 0, 2})]++
		if d.chance(0) || !d.chance(1) {
			t.Fatal("a chance of 0 or 1 is none")
		}
	}
	if counts[1] != 0 || counts[0] < 800 || counts[0] > 1200 {
		t.Errorf("weights 1, 0, 2 give %v", counts)
	}
	first := d.Uint64()
	d.seed([32]byte{1})
	again := make(map[uint64]bool)
	for range 20000 {
		again[d.Uint64()] = true
	}
	if !again[first] {
		t.Error("the same seed gives another stream")
	}
}

func TestChooseDoesNotDependOnTheOrder(t *testing.T) {
	t.Parallel()
	var list []*candidate
	for _, slug := range []string{"a", "b", "c", "d", "e"} {
		list = append(list, &candidate{Scenario: &scenario.Scenario{Slug: slug}, hash: slugHash(slug)})
	}
	backwards := []*candidate{list[4], list[3], list[2], list[1], list[0]}
	all := func(*candidate) bool { return true }
	chosen := map[string]int{}
	for key := range uint64(1000) {
		c := choose(list, mix(key), all)
		if c != choose(backwards, mix(key), all) {
			t.Fatal("the order of the list decides")
		}
		chosen[c.Slug]++
		if other := choose(list, mix(key), func(x *candidate) bool { return x != c }); other == c || other == nil {
			t.Fatal("the best that does not fit is chosen")
		}
	}
	for slug, n := range chosen {
		if n < 130 || n > 270 {
			t.Errorf("%s is chosen %d times of 1000", slug, n)
		}
	}
	if choose(list, 1, func(*candidate) bool { return false }) != nil {
		t.Error("nothing fits, and something is chosen")
	}
}

func TestAValueThatBeginsASentenceGetsACapital(t *testing.T) {
	t.Parallel()
	f := &fill{row: map[string]string{"who": "night porters", "url": "some-site.example", "n": "48"}}
	for _, c := range []struct {
		role       Role
		text, want string
	}{
		{RoleStatement, "{who} are gone. {who} came! {n} {who}, (and {who}) of {who}? {who}", "Night porters are gone. Night porters came! 48 night porters, (and night porters) of night porters? Night porters"},
		{RoleSituation, "({who} wait.)", "(Night porters wait.)"},
		{RoleAsk, "{url} is the page. {url}", "some-site.example is the page. some-site.example"},
		{RoleSubject, "{who}", "night porters"},
	} {
		m := &maker{}
		m.expand(&piece{text: c.text, role: c.role, fill: f})
		if got := string(m.buf); got != c.want {
			t.Errorf("%q became %q, want %q", c.text, got, c.want)
		}
	}
}

func TestTheArticleFitsTheValue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, value, want string }{
		{"put a {x} on it", "apple crate", "put an apple crate on it"},
		{"put an {x} on it", "drill", "put a drill on it"},
		{"a {x}", "FS-2", "an FS-2"},
		{"A {x} is", "air filter", "An air filter is"},
		{"An {x} is", "LP-3", "An LP-3 is"},
		{"(a {x})", "Hub", "(a Hub)"},
		{"a {x}", "unit", "a unit"},
		{"an {x}", "European plug", "a European plug"},
		{"a {x} call", "80 euro", "an 80 euro call"},
		{"via {x}", "e-mail", "via e-mail"},
		{"plan {x}", "drill", "plan drill"},
		{"than {x}", "drill", "than drill"},
		{"a {x}", "USB stick", "a USB stick"},
		{"a {x}", "SMS", "an SMS"},
	} {
		m := &maker{}
		m.expand(&piece{text: c.text, role: RoleDetail, fill: &fill{row: map[string]string{"x": c.value}}})
		if got := string(m.buf); got != c.want {
			t.Errorf("%q with %q became %q, want %q", c.text, c.value, got, c.want)
		}
	}
}
