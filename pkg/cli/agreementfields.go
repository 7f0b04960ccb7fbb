package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/dataset"
)

// distinguish gives raters of one name their source, and a number where that is the same too.
func (a *agreed) distinguish() {
	for _, name := range []func(r *rater, i int) string{
		func(r *rater, _ int) string { return filepath.Base(r.source) + "/" + r.name },
		func(r *rater, _ int) string { return r.source + "/" + r.name },
		func(r *rater, i int) string { return fmt.Sprintf("%s (%d)", r.name, i+1) },
	} {
		count := map[string]int{}
		for _, r := range a.raters {
			count[r.name]++
		}
		base := make([]string, len(a.raters))
		for i, r := range a.raters {
			base[i] = r.name
			if count[r.name] > 1 {
				base[i] = name(r, i)
			}
		}
		unique := map[string]bool{}
		for _, n := range base {
			unique[n] = true
		}
		if len(unique) == len(base) {
			for i, r := range a.raters {
				r.name = base[i]
			}
			return
		}
	}
}

// oneField makes sources comparable that share no field and have one each.
func (a *agreed) oneField() error {
	if len(sharedFields(a.raters)) > 0 {
		return nil
	}
	var all []string
	for _, r := range a.raters {
		all = append(all, r.name+" has "+join(r.fields))
	}
	fields := make([]string, len(a.raters))
	known := scale{ordered: true}
	for i, r := range a.raters {
		if len(r.fields) != 1 {
			return usageError("the sources share no field: %s; --map gives columns the same names", strings.Join(all, "; "))
		}
		fields[i] = r.fields[0]
		sc := a.scales.of(fields[i], nil)
		known.ordered = known.ordered && sc.ordered
		for _, v := range sc.values {
			if !slices.Contains(known.values, v) {
				known.values = append(known.values, v)
			}
		}
	}
	joined := strings.Join(slices.Compact(fields), " / ")
	if values, ordered := dataset.Arrange(slices.Sorted(slices.Values(known.values))); ordered { // two columns may each lack a value
		a.scales.known[joined] = scale{values, true}
	} else {
		a.scales.known[joined] = scale{values, false}
	}
	for i, r := range a.raters {
		r.answers = map[string]map[string]string{joined: r.answers[fields[i]]}
		r.fields = []string{joined}
	}
	return nil
}

// warnAlone tells of tickets that only one source has.
func (a *agreed) warnAlone() {
	count := map[string]int{}
	for _, r := range a.raters {
		for _, u := range r.units {
			count[u]++
		}
	}
	for _, r := range a.raters {
		alone := 0
		for _, u := range r.units {
			if count[u] == 1 {
				alone++
			}
		}
		if alone > 0 {
			a.o.app.warn("%s has %s that no other source has: they count nowhere", r.name, counted(alone, "ticket"))
		}
	}
}
