package dataset

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/triagebench/triage/pkg/lazyregexp"
	"github.com/triagebench/triage/pkg/triage"
)

// Usual names of columns, folded, the best first. A leading "ticket", "issue" or "case" does not count.
var (
	usualIDs      = []string{"id", "ticketid", "number", "key"}
	usualSubjects = []string{"subject", "summary", "title", "shortdescription", "headline", "topic"}
	usualBodies   = []string{"body", "description", "descriptiontext", "text", "message", "content", "issuetext", "question",
		"query", "utterance", "request"}
	usualLabels = []string{"route", triage.FieldRoute, triage.FieldCategory, "label", "intent", "queue", triage.FieldDepartment,
		"type", triage.FieldPriority, "urgency", triage.FieldUrgency, "severity", triage.FieldDifficulty, triage.FieldUrgencyDays}
)

// bare leaves letters and digits of a folded name, without what help desks put before it.
func bare(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
	name = strings.TrimPrefix(name, "customfield")
	for _, before := range []string{"ticket", "issue", "case"} {
		if rest, ok := strings.CutPrefix(name, before); ok && rest != "" {
			return rest
		}
	}
	return name
}

// ref points to a column: by position in CSV, by name (at is -1) in JSONL.
type ref struct {
	name string
	at   int
}

// label is a label column.
type label struct {
	name   string
	source ref
	scale  *Scale          // from the labels file, or nil
	values map[string]bool // those of scale
	chosen bool            // by the user, not by its usual name
}

// on puts the label on a scale.
func (l *label) on(s Scale) {
	l.scale, l.values = &s, make(map[string]bool, len(s.Values))
	for _, v := range s.Values {
		l.values[v] = true
	}
}

// plan says which column is what.
type plan struct {
	id, subject, body *ref
	labels            []label         // sorted by name
	shown             map[string]bool // whether a column is shown to agents, for the columns that are known
	parts             map[string]bool // names of id, subject, body and labels
	used              map[string]bool // the same folded
	// tickets says that it is for a file of tickets: rows may lack labels, and columns behind them are shown.
	tickets bool
}

// planner makes a plan for the columns of a file.
type planner struct {
	file   file
	names  []string
	opts   Options
	taken  map[int]string // position of a column: our name for it
	except map[string]bool
}

// newPlan makes the plan for the columns called names. Columns in except are not taken for labels by their usual names.
func newPlan(f file, names []string, opts Options, except map[string]bool) (*plan, error) {
	p := &planner{file: f, names: names, opts: opts, taken: map[int]string{}, except: except}
	out := &plan{shown: map[string]bool{}, parts: map[string]bool{}, used: map[string]bool{}}
	labels, err := p.chosen()
	if err != nil {
		return nil, err
	}
	if err := p.parts(out); err != nil {
		return nil, err
	}
	if out.subject == nil && out.body == nil {
		return nil, usage(f.name, "no column with the ticket's text: the columns are %s; none is called %s or %s; "+
			"say which it is with --map body=COLUMN", listed(names), strings.Join(usualSubjects, ", "), strings.Join(usualBodies, ", "))
	}
	if len(labels) == 0 {
		labels = p.usual()
	}
	if len(labels) == 0 {
		return nil, usage(f.name, "no column with labels: the columns are %s; none is called %s; say which it is with "+
			"--map NAME=COLUMN or with a labels file", listed(names), strings.Join(usualLabels, ", "))
	}
	slices.SortFunc(labels, func(a, b label) int { return strings.Compare(a.name, b.name) })
	out.labels = labels
	for at := range p.taken {
		out.parts[names[at]] = true
		out.used[fold(names[at])] = true
	}
	for _, name := range names {
		out.shown[name] = out.shows(name)
	}
	return out, nil
}

var numbered = lazyregexp.New(` \(\d+\)$`)

// shows tells whether agents see a column. A second column of a label's name counts as that label's.
func (p *plan) shows(name string) bool {
	if show, ok := p.shown[name]; ok {
		return show
	}
	_, _, held := Held(name)
	return !held && !p.used[fold(name)] && !p.used[fold(numbered.ReplaceAllString(name, ""))]
}

// find finds a column: called exactly so, or else the first that is called so but for case, spaces and underscores.
func (p *planner) find(column string) int {
	if at := slices.Index(p.names, column); at >= 0 {
		return at
	}
	return slices.IndexFunc(p.names, func(name string) bool { return fold(name) == fold(column) })
}

func (p *planner) ref(at int) ref {
	if p.file.format == JSONL {
		return ref{p.names[at], -1}
	}
	return ref{p.names[at], at}
}

// take gives the file's column for a name of ours. place is where the user wrote so.
func (p *planner) take(place, ours, column string) (ref, error) {
	at := p.find(column)
	if at < 0 {
		where := "the columns are"
		if p.file.format == JSONL {
			where = fmt.Sprintf("the fields of the first %d objects are", sampleRows)
		}
		return ref{}, usage(p.file.name, "%s: no column %q: %s %s", place, shorten(column), where, listed(p.names))
	}
	if other, ok := p.taken[at]; ok {
		return ref{}, usage(p.file.name, "%s: column %q is already %s: a column can be one thing only", place, p.names[at], other)
	}
	p.taken[at] = ours
	return p.ref(at), nil
}

// chosen gives the labels that the user names, in the mapping or the labels file, sorted by name.
func (p *planner) chosen() ([]label, error) {
	scales := maps.Clone(p.opts.Labels)
	var labels []label
	for _, ours := range slices.Sorted(maps.Keys(p.opts.Map)) {
		if reserved(ours) {
			continue
		}
		column := p.opts.Map[ours]
		place := fmt.Sprintf("column map, %s=%s", ours, shorten(column))
		if err := CheckLabelName(ours); err != nil {
			return nil, usage(p.file.name, "%s: %v", place, err)
		}
		source, err := p.take(place, ours, column)
		if err != nil {
			return nil, err
		}
		l := label{name: ours, source: source, chosen: true}
		for _, key := range slices.Sorted(maps.Keys(scales)) {
			if key == ours || fold(key) == fold(source.name) {
				if l.scale != nil {
					return nil, usage(p.file.name, "labels file: two entries are for label %s, one is %q", ours, shorten(key))
				}
				l.on(scales[key])
				delete(scales, key)
			}
		}
		labels = append(labels, l)
	}
	for _, key := range slices.Sorted(maps.Keys(scales)) {
		if err := CheckLabelName(key); err != nil {
			return nil, usage(p.file.name, "labels file: %v", err)
		}
		source, err := p.take("labels file", key, key)
		if err != nil {
			return nil, err
		}
		l := label{name: key, source: source, chosen: true}
		l.on(scales[key])
		labels = append(labels, l)
	}
	return labels, nil
}

// parts finds the columns of subject, body and id: those in the mapping first, then the rest by their usual names.
func (p *planner) parts(out *plan) error {
	parts := []struct {
		name  string
		usual []string
		to    **ref
	}{{subjectName, usualSubjects, &out.subject}, {bodyName, usualBodies, &out.body}, {idName, usualIDs, &out.id}}
	for _, part := range parts {
		if column, ok := p.opts.Map[part.name]; ok {
			r, err := p.take(fmt.Sprintf("column map, %s=%s", part.name, shorten(column)), part.name, column)
			if err != nil {
				return err
			}
			*part.to = &r
		}
	}
	for _, part := range parts {
		if *part.to != nil {
			continue
		}
		if at := p.usualColumn(part.usual); at >= 0 {
			p.taken[at] = part.name
			r := p.ref(at)
			*part.to = &r
		}
	}
	return nil
}

// usualColumn finds the first free column that is called one of the usual names.
func (p *planner) usualColumn(usual []string) int {
	for _, want := range usual {
		want = bare(want)
		for at, name := range p.names {
			if _, taken := p.taken[at]; !taken && !strings.Contains(name, ".") && bare(name) == want {
				return at
			}
		}
	}
	return -1
}

// usual gives the labels that are found by their usual names.
func (p *planner) usual() []label {
	var labels []label
	for _, name := range usualLabels {
		at := p.usualColumn([]string{name})
		if at < 0 || p.except[p.names[at]] {
			continue
		}
		p.taken[at] = name
		labels = append(labels, label{name: name, source: p.ref(at)})
	}
	return labels
}
