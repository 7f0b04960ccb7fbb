package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/near"
	"github.com/triagebench/triage/pkg/triage"
)

// settingsKey allows all settings of an agent to differ, and begins the keys of single ones.
const settingsKey = "settings"

// identity are the keys of [Side.Identity]. Sides that differ in one of all but the grader played other tickets.
var identity = []string{"generator", "grader", "split", "secret", "bank", "tickets"}

// Keys are the keys that [Options.Allow] takes, beside settings.NAME for the setting NAME of an agent.
func Keys() []string { return append(slices.Clone(identity), settingsKey) }

// checkAllow refuses keys that are none.
func checkAllow(allow []string, sides []*Side) error {
	for _, key := range allow {
		if slices.Contains(Keys(), key) {
			continue
		}
		name, ok := strings.CutPrefix(key, settingsKey+".")
		if !ok {
			return &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf("--allow %s: it is not one of %s, settings.NAME%s", key, strings.Join(Keys(), ", "), near.Hint(key, Keys()))}
		}
		known := map[string]bool{}
		for _, s := range sides {
			for k := range s.Settings {
				known[k] = true
			}
		}
		if !known[name] {
			has := "no settings"
			if len(known) > 0 {
				has = "the settings " + strings.Join(slices.Sorted(maps.Keys(known)), ", ")
			}
			return &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf("--allow %s: the agents have %s", key, has)}
		}
	}
	return nil
}

// unlike holds two sides against each other: what differs and was allowed to, what differs and may, and a refusal that lists
// everything else.
func unlike(base, new *Side, allow []string) (allowed, noted []Mismatch, err error) {
	for _, s := range []*Side{base, new} {
		if s.withoutEpisodes() {
			if slices.ContainsFunc(s.Tasks, func(t TaskSide) bool { return t.Incomplete != "" }) {
				return nil, nil, &triage.Error{Code: triage.CodeUsage, Message: call(s) + " names no episode: all broke, and the file does not tell which"}
			}
			return nil, nil, &triage.Error{Code: triage.CodeUsage, Message: call(s) + " holds no single episodes, as results files of imported tickets do: give its run folder"}
		}
	}
	var refused []string
	take := func(m Mismatch, hint string, keys ...string) {
		if slices.ContainsFunc(keys, func(k string) bool { return slices.Contains(allow, k) }) {
			allowed = append(allowed, m)
			return
		}
		refused = append(refused, fmt.Sprintf("%s is %s and %s (--allow %s)", m.Key, quoted(m.Base), quoted(m.New), hint))
	}
	for _, k := range identity {
		if a, b := base.Identity[k], new.Identity[k]; a != b {
			take(Mismatch{k, a, b}, k, k)
		}
	}
	if base.Agent != new.Agent {
		noted = append(noted, Mismatch{"agent", base.Agent, new.Agent})
	}
	for _, m := range differences(base.Settings, new.Settings) {
		m.Key = settingsKey + "." + m.Key
		if base.Agent != new.Agent {
			noted = append(noted, m)
			continue
		}
		take(m, m.Key+", or settings for all", m.Key, settingsKey)
	}
	if len(refused) > 0 {
		return nil, nil, &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf("%s and %s are not runs of the same: %s", call(base), call(new), strings.Join(refused, "; "))}
	}
	return allowed, append(noted, playedOther(base, new)...), nil
}

func (s *Side) withoutEpisodes() bool {
	return !slices.ContainsFunc(s.Tasks, func(t TaskSide) bool { return len(t.Episodes) > 0 })
}

func differences(a, b map[string]string) []Mismatch {
	names := map[string]bool{}
	for _, m := range []map[string]string{a, b} {
		for k := range m {
			names[k] = true
		}
	}
	var out []Mismatch
	for _, k := range slices.Sorted(maps.Keys(names)) {
		if a[k] != b[k] {
			out = append(out, Mismatch{k, a[k], b[k]})
		}
	}
	return out
}

// playedOther lists what two sides may differ in.
func playedOther(a, b *Side) []Mismatch {
	var out []Mismatch
	for _, m := range []Mismatch{{"seeds", seedsOf(a), seedsOf(b)}, {"trials", trialsOf(a), trialsOf(b)}, {"limit", a.played.limit, b.played.limit},
		{"only", a.played.only, b.played.only}, {"shard", a.played.shard, b.played.shard}} {
		if m.Base == m.New || m.Key == "shard" && wholeRun(m.Base) && wholeRun(m.New) {
			continue
		}
		out = append(out, m)
	}
	return out
}

func wholeRun(shard string) bool { return shard == "" || shard == "1/1" }

// call is what messages call a side.
func call(s *Side) string {
	if s.From == "" || strings.Contains(s.Name, s.From) {
		return s.Name
	}
	return fmt.Sprintf("%s (%s)", s.Name, s.From)
}

func quoted(v string) string {
	if v == "" {
		return "none"
	}
	return fmt.Sprintf("%q", v)
}

// otherTickets tells whether an allowed difference means that the sides played other tickets, and whether places still tell which
// tickets are the same.
func otherTickets(allowed []Mismatch) bool {
	return slices.ContainsFunc(allowed, func(m Mismatch) bool { return slices.Contains(identity, m.Key) && m.Key != "grader" })
}

// seedsOf says which seeds a side played, such as "42 to 51"; where its tasks differ, of each.
func seedsOf(s *Side) string {
	var texts []string
	same := true
	for i := range s.Tasks {
		texts = append(texts, seedsOfTask(&s.Tasks[i]))
		same = same && texts[i] == texts[0]
	}
	switch {
	case len(texts) == 0:
		return "none"
	case same:
		return texts[0]
	}
	for i := range texts {
		texts[i] = s.Tasks[i].Task.Name + " " + texts[i]
	}
	return strings.Join(texts, ", ")
}

func seedsOfTask(t *TaskSide) string {
	n := len(t.Episodes)
	if n == 0 {
		return "none"
	}
	low, high, different := t.Episodes[0].Seed, t.Episodes[0].Seed, map[int64]bool{}
	for i := range t.Episodes {
		seed := t.Episodes[i].Seed
		low, high = min(low, seed), max(high, seed)
		different[seed] = true
	}
	switch {
	case low == high:
		return fmt.Sprint(low)
	case uint64(high)-uint64(low) == uint64(len(different)-1):
		return fmt.Sprintf("%d to %d", low, high)
	}
	return fmt.Sprintf("%d of %d to %d", len(different), low, high)
}

func trialsOf(s *Side) string {
	n := 0
	for i := range s.Tasks {
		for j := range s.Tasks[i].Episodes {
			n = max(n, int(s.Tasks[i].Episodes[j].Trial)+1)
		}
	}
	return fmt.Sprint(n)
}
