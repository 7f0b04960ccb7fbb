package openenv

import (
	"maps"
	"slices"

	"github.com/triagebench/triage/pkg/lazyregexp"
)

var reference = lazyregexp.New(`"\$ref":"#/components/[a-z]+/([A-Za-z]+)"`)

// prune takes out of a document what no path leads to: names of components (unique over their kinds) and tags.
func prune(d *document) {
	used, next := map[string]bool{}, [][]byte{Plain(d.Paths)}
	for len(next) > 0 {
		text := next[0]
		next = next[1:]
		for _, m := range reference.FindAllSubmatch(text, -1) {
			name := string(m[1])
			if used[name] {
				continue
			}
			used[name] = true
			if s := d.Components.Schemas[name]; s != nil {
				next = append(next, Plain(s))
			} else if r, ok := d.Components.Responses[name]; ok {
				next = append(next, Plain(r))
			}
		}
	}
	keep(d.Components.Schemas, used)
	keep(d.Components.Responses, used)
	keep(d.Components.Parameters, used)
	tags := map[string]bool{}
	for _, p := range d.Paths {
		for _, x := range []*docOperation{p.get, p.post} {
			if x != nil {
				tags[x.Tags[0]] = true
			}
		}
	}
	d.Tags = slices.DeleteFunc(d.Tags, func(t docTag) bool { return !tags[t.Name] })
}

// keep drops what is not used.
func keep[V any](m map[string]V, used map[string]bool) {
	maps.DeleteFunc(m, func(name string, _ V) bool { return !used[name] })
}
