package results_test

import (
	"testing"

	"github.com/triagebench/triage/pkg/results"
)

func TestSettingsTellHowManyEpisodesARunIsToHave(t *testing.T) {
	t.Parallel()
	s := results.Settings{"agents": "a,b", "trials": "2", "episodes": "28", "shard": "1/1",
		"episodes of queue-easy": "seeds 42 to 43", "episodes of queue-easy (1)": "seeds 50 to 50 position 3", "episodes of desk-hard": "seeds 7 to 10"}
	// The plan: a/queue-easy at 0 to 5, a/desk-hard at 6 to 13, b/queue-easy at 14 to 19, b/desk-hard at 20 to 27.
	for _, c := range []struct {
		shard, agent, task string
		want               int
		ok                 bool
	}{
		{"1/1", "a", "queue-easy", 6, true}, {"1/1", "b", "desk-hard", 8, true}, {"", "a", "desk-hard", 8, true},
		{"1/5", "a", "queue-easy", 2, true}, // 0 and 5
		{"5/5", "a", "desk-hard", 1, true},  // 9
		{"5/5", "b", "queue-easy", 2, true}, // 14 and 19
		{"1/9", "b", "desk-hard", 1, true},  // 27
		{"1/1", "a", "desk-easy", 0, true}, {"1/1", "c", "desk-hard", 0, false},
	} {
		s[results.ShardSetting] = c.shard
		if got, ok := s.Planned(c.agent, c.task); got != c.want || ok != c.ok {
			t.Errorf("%+v: %d, %v", c, got, ok)
		}
		if all, ok := s.PlannedInAll(); !ok || c.shard == "1/5" && all != 6 || c.shard == "5/5" && all != 5 || c.shard == "1/1" && all != 28 {
			t.Errorf("%s: %d in all", c.shard, all)
		}
	}
	for _, bad := range []results.Settings{{}, {"agents": "a"}, {"agents": "a", "episodes of x": "some", "episodes": "many"}, {"agents": "a", "episodes of x": "seeds 9 to 1"},
		{"agents": "a", "episodes of x": "seeds 1 to 2", "trials": "0", "episodes": "-1"}, {"agents": "a", "episodes of x": "seeds 0 to 9223372036854775807"}} {
		if n, ok := bad.Planned("a", "x"); ok {
			t.Errorf("%v: %d", bad, n)
		}
		if n, ok := bad.PlannedInAll(); ok {
			t.Errorf("%v: %d in all", bad, n)
		}
	}
}

func TestAFolderTellsWhatItsLogLacks(t *testing.T) {
	t.Parallel()
	f := &results.Folder{Settings: results.Settings{"agents": "a,b", "episodes of desk-hard": "seeds 1 to 4"},
		Results: []*results.Results{{Agent: "b", Tasks: []results.TaskSummary{{Task: task(t, "desk-hard"), N: 4, Errors: 1}}}}}
	for _, c := range []struct {
		agent  string
		logged int
		want   string
	}{
		{"a", 4, ""}, {"a", 2, "2 of 4 planned episodes are there"}, {"b", 5, ""},
		{"b", 4, "episodes.jsonl holds 4 episodes, the results file tells of 5"}, {"c", 1, ""},
	} {
		if got := f.Missing(c.agent, "desk-hard", c.logged); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
