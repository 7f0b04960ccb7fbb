package history

import (
	"maps"
	"slices"
)

// differ notes in each row which settings of its agent are not the same in the whole table: those of which two rows have other
// values, and those that one of two rows of an agent has and the other has not.
func differ(rows []Row) {
	names := map[string]bool{}
	values, of := map[string]string{}, map[string]map[string]int{} // by setting; how many rows of an agent have it
	count := map[string]int{}
	for i := range rows {
		count[rows[i].Agent]++
		for name, value := range rows[i].settings {
			if was, ok := values[name]; ok && was != value {
				names[name] = true
			}
			values[name] = value
			if of[name] == nil {
				of[name] = map[string]int{}
			}
			of[name][rows[i].Agent]++
		}
	}
	for name, agents := range of {
		for agent, n := range agents {
			if n != count[agent] {
				names[name] = true
			}
		}
	}
	sorted := slices.Sorted(maps.Keys(names))
	for i := range rows {
		for _, name := range sorted {
			if of[name][rows[i].Agent] > 0 { // no agent of another kind
				rows[i].Differ = append(rows[i].Differ, Fact{name, rows[i].settings[name]})
			}
		}
	}
}
