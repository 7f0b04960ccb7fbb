package runner_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/triage"
)

func plan(t testing.TB, groups ...runner.Group) *runner.Plan {
	t.Helper()
	p, err := runner.NewPlan(groups)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func keys(p *runner.Plan) []triage.Key {
	var out []triage.Key
	for i := range p.Len() {
		out = append(out, p.Key(i))
	}
	return out
}

func TestAPlanListsItsEpisodesInTheOrderOfItsGroups(t *testing.T) {
	t.Parallel()
	at := triage.IntOf(3)
	p := plan(t, runner.Group{Agent: "a", Task: "x", First: 5, Count: 2}, runner.Group{Agent: "a", Task: "y", First: 5, Count: 0},
		runner.Group{Agent: "b", Task: "x", First: 5, Count: 1}, runner.Group{Agent: "b", Task: "x", First: 5, Count: 1, Position: at},
		runner.Group{Agent: "a", Task: "x", First: 3, Count: 2}, runner.Group{Agent: "c", Task: "x", First: 1, Count: -4})
	want := []triage.Key{{Agent: "a", Task: "x", Seed: 5}, {Agent: "a", Task: "x", Seed: 6}, {Agent: "b", Task: "x", Seed: 5},
		{Agent: "b", Task: "x", Seed: 5, Position: at}, {Agent: "a", Task: "x", Seed: 3}, {Agent: "a", Task: "x", Seed: 4}}
	if d := cmp.Diff(want, keys(p)); d != "" {
		t.Errorf("keys (-want +got):\n%s", d)
	}
	if len(p.Groups()) != 4 {
		t.Errorf("%d groups, want the 4 that are not empty", len(p.Groups()))
	}
	for _, no := range []triage.Key{{Agent: "a", Task: "x", Seed: 7}, {Agent: "a", Task: "x", Seed: 2}, {Agent: "c", Task: "x", Seed: 1}, {Agent: "a", Task: "y", Seed: 5},
		{Agent: "a", Task: "x", Seed: 5, Position: at}, {Agent: "b", Task: "x", Seed: 5, Position: triage.IntOf(0)}, {}} {
		if i := p.Index(no); i != -1 {
			t.Errorf("%s stands at %d of a plan that does not have it", no, i)
		}
	}
	if empty := plan(t); empty.Len() != 0 || empty.Index(triage.Key{}) != -1 {
		t.Errorf("an empty plan has %d episodes", empty.Len())
	}
}

// lessons B38, D62
func TestAPlanRefusesSeedsOutOfRangeAndEpisodesAskedForTwice(t *testing.T) {
	t.Parallel()
	const last = triage.MaxSeed
	g := func(first int64, count int) runner.Group {
		return runner.Group{Agent: "a", Task: "x", First: first, Count: count}
	}
	for _, tt := range []struct {
		name   string
		groups []runner.Group
		want   string // error, or empty
	}{
		{"the first seed", []runner.Group{g(0, 1)}, ""},
		{"a negative seed", []runner.Group{g(-1, 1)}, "seeds -1 to -1+0 leave the range 0 to 9223372036854775807"},
		{"the last seed", []runner.Group{g(last, 1)}, ""},
		{"over the last seed", []runner.Group{g(last, 2)}, "seeds 9223372036854775807 to 9223372036854775807+1 leave the range 0 to 9223372036854775807"},
		{"up to the last seed", []runner.Group{g(last-9, 10)}, ""},
		{"one too many", []runner.Group{g(last-9, 11)}, "seeds 9223372036854775798 to 9223372036854775798+10 leave the range 0 to 9223372036854775807"},
		{"neighbours", []runner.Group{g(0, 5), g(5, 5)}, ""},
		{"the same twice", []runner.Group{g(3, 1), g(3, 1)}, "a/x/3 is asked for twice"},
		{"an overlap at the end", []runner.Group{g(0, 5), g(4, 5)}, "a/x/4 is asked for twice"},
		{"an overlap at the beginning", []runner.Group{g(4, 5), g(0, 5)}, "a/x/4 is asked for twice"},
		{"one inside the other", []runner.Group{g(0, 9), g(3, 2)}, "a/x/3 is asked for twice"},
		{"the other inside the one", []runner.Group{g(3, 2), g(0, 9)}, "a/x/3 is asked for twice"},
		{"an overlap at the end of the range", []runner.Group{g(last-9, 10), g(last, 1)}, "a/x/9223372036854775807 is asked for twice"},
		{"an overlap at the end of the range, the other way", []runner.Group{g(last, 1), g(last-9, 10)}, "a/x/9223372036854775807 is asked for twice"},
		{"another agent", []runner.Group{g(0, 5), {Agent: "b", Task: "x", First: 0, Count: 5}}, ""},
		{"another task", []runner.Group{g(0, 5), {Agent: "a", Task: "y", First: 0, Count: 5}}, ""},
		{"one ticket of an episode that is played", []runner.Group{g(0, 5), {Agent: "a", Task: "x", First: 0, Count: 5, Position: triage.IntOf(0)}}, ""},
		{"the same ticket twice", []runner.Group{{Agent: "a", Task: "x", Count: 1, Position: triage.IntOf(2)}, {Agent: "a", Task: "x", Count: 1, Position: triage.IntOf(2)}},
			"a/x/0/2 is asked for twice"},
	} {
		p, err := runner.NewPlan(tt.groups)
		got := ""
		if err != nil {
			got = err.Error()
			if triage.CodeOf(err) != triage.CodeUsage {
				t.Errorf("%s: code %q", tt.name, triage.CodeOf(err))
			}
		}
		if got != tt.want {
			t.Errorf("%s: error %q, want %q", tt.name, got, tt.want)
		}
		if err != nil {
			continue
		}
		for i := range p.Len() {
			if j := p.Index(p.Key(i)); j != i {
				t.Errorf("%s: %s stands at %d and is found at %d", tt.name, p.Key(i), i, j)
			}
		}
	}
}

// anyGroups draws groups that do not overlap.
func anyGroups() *rapid.Generator[[]runner.Group] {
	return rapid.Custom(func(t *rapid.T) []runner.Group {
		var out []runner.Group
		next := map[string]int64{}
		for range rapid.IntRange(0, 8).Draw(t, "groups") {
			g := runner.Group{Agent: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "agent"), Task: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "task"),
				Count: rapid.IntRange(0, 9).Draw(t, "count")}
			if rapid.Bool().Draw(t, "one ticket") {
				g.Position = triage.IntOf(rapid.IntRange(0, 2).Draw(t, "position"))
			}
			where := fmt.Sprint(g.Agent, g.Task, g.Position)
			if next[where] == 0 {
				next[where] = rapid.SampledFrom([]int64{0, 42, triage.MaxSeed - 1000}).Draw(t, "first")
			}
			g.First = next[where] + rapid.Int64Range(0, 3).Draw(t, "gap")
			next[where] = g.First + int64(g.Count)
			out = append(out, g)
		}
		return out
	})
}

func TestPlacesAndKeysOfAPlanAreEachOthersInverse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := anyGroups().Draw(t, "plan")
		p, err := runner.NewPlan(list)
		if err != nil {
			t.Fatal(err)
		}
		var want []triage.Key
		for _, g := range list {
			for i := range g.Count {
				want = append(want, triage.Key{Agent: g.Agent, Task: g.Task, Seed: g.First + int64(i), Position: g.Position})
			}
		}
		if d := cmp.Diff(want, keys(p)); d != "" {
			t.Errorf("keys (-want +got):\n%s", d)
		}
		for i, k := range want {
			if got := p.Index(k); got != i {
				t.Errorf("%s stands at %d and is found at %d", k, i, got)
			}
		}
	})
}

func TestShardsPartitionAPlan(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n, total := rapid.IntRange(1, 9).Draw(t, "shards"), rapid.IntRange(0, 60).Draw(t, "episodes")
		sizes := make([]int, n)
		for place := range total {
			owners := 0
			for i := range n {
				if (runner.Shard{I: i + 1, N: n}).Has(place) {
					owners++
					sizes[i]++
				}
			}
			if owners != 1 {
				t.Errorf("place %d belongs to %d of %d shards", place, owners, n)
			}
		}
		for _, size := range sizes {
			if size < total/n || size > total/n+1 {
				t.Errorf("%d episodes in %d shards of sizes %v", total, n, sizes)
				break
			}
		}
	})
	if !(runner.Shard{}).Has(7) {
		t.Error("the zero shard is not the whole plan")
	}
	if got := (runner.Shard{I: 2, N: 5}).String(); got != "2/5" {
		t.Errorf("shard renders as %s", got)
	}
}
