package importer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/dataset"
)

// proposal is what a draft proposes for one value.
type proposal struct {
	theirs string
	count  int
	ours   string // empty for no label
	why    string
}

// Draft gives the mapping file in YAML, with the counts as comments. [ReadMapping] reads it as it stands.
func (s *Suggest) Draft() []byte {
	var b strings.Builder
	title := s.format.Title
	if title == "" {
		title = "a table"
	}
	fmt.Fprintf(&b, "# A draft of a mapping, made from %d records, read as %s. Behind each value stands how many have it.\n", s.records, forComment(title))
	b.WriteString("# Edit it and give it to triage import --mapping. A value becomes another text, null (the ticket lacks this label)\n" +
		"# or {drop: true} (the ticket is left out); other says what the rest becomes: keep, none, drop or {value: NAME}.\n")
	report := s.labels.Report()
	b.WriteString("labels:")
	drafted := 0
	for i := range report.Labels {
		if s.label(&b, &report.Labels[i]) {
			drafted++
		}
	}
	var more strings.Builder
	alike := s.more(&more, &report)
	switch {
	case drafted > 0:
	case alike > 0:
		b.WriteString(" # no column is usually a label: take the marks of comment from those below that are one\n")
	default:
		b.WriteString(" {} # no column is usually a label, and none looks like one: name it with --label NAME=COLUMN\n")
	}
	b.WriteString(more.String())
	if s.format.isMail() {
		b.WriteString("\n# The label: " + mailHint + ";\n# give it to --suggest as --label route=@file, and its values are drafted here.\n")
	}
	s.columnLists(&b, &report)
	return []byte(b.String())
}

// label writes the entry of a label; it tells whether there is one.
func (s *Suggest) label(b *strings.Builder, l *LabelCount) bool {
	rule := s.labels.rule(l.Name)
	col := s.column(l.Column)
	if rule == nil || col == nil {
		return false
	}
	fmt.Fprintf(b, "\n  %s:\n    column: %s\n", quoted(l.Name), quoted(col.name))
	if col.many {
		fmt.Fprintf(b, "    # it has more than %d different values, or texts: probably no label\n", suggestValues)
		return true
	}
	list, scale, note := s.propose(rule, col)
	if note != "" {
		fmt.Fprintf(b, "    # %s\n", note)
	}
	if len(scale) > 1 {
		fmt.Fprintf(b, "    ordered: true\n    scale: [%s]\n", quotedList(scale))
	}
	writeValues(b, "    ", list)
	return true
}

// writeValues writes the values of a label, the first of them.
func writeValues(b *strings.Builder, indent string, list []proposal) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "%svalues:\n", indent)
	for i, p := range list {
		if i == listedValues {
			fmt.Fprintf(b, "%s  # and %d more\n", indent, len(list)-i)
			break
		}
		ours := "null"
		if p.ours != "" {
			ours = quoted(p.ours)
		}
		fmt.Fprintf(b, "%s  %s: %s # %d", indent, quoted(p.theirs), ours, p.count)
		if p.why != "" {
			b.WriteString(": " + p.why)
		}
		b.WriteString("\n")
	}
}

// passedOver is the remark on labels that are read out of a list.
const passedOver = "values of the list that say nothing of this label are left out here, and passed over"

// propose gives what a draft proposes for the values of a column, the scale if they have one, and a remark on it.
func (s *Suggest) propose(rule *labelRule, col *suggestColumn) (list []proposal, scale []string, note string) {
	values := col.sorted()
	switch {
	case rule.desk != nil:
		return proposeDesk(rule, values), ourSteps(), "on " + rule.scaleName + ", mapped to ours"
	case rule.kinds:
		return proposeListed(rule, values), nil, passedOver
	case rule.closed != nil && (col.list || rule.list):
		return proposeListed(rule, values), rule.closed.Values, passedOver
	case isLevel(rule.name):
		if list, ok := proposeLevels(values); ok {
			return list, ourSteps(), "priorities in words that are known, mapped to ours"
		}
	}
	list = s.mergeOf(col)
	var ours []string
	for _, p := range list {
		if p.ours != "" && !slices.Contains(ours, p.ours) {
			ours = append(ours, p.ours)
		}
	}
	if ordered, ok := dataset.Arrange(ours); ok && len(ordered) > 1 {
		return list, ordered, "a scale that is known"
	}
	return list, nil, ""
}

// proposeDesk maps the values of a desk's scale.
func proposeDesk(rule *labelRule, values []ValueCount) []proposal {
	var out []proposal
	for _, v := range values {
		p := proposal{theirs: v.Value, count: v.Count}
		if nothing(v.Value) {
			p.ours = rule.null
		} else if p.ours = rule.desk.steps[lowered(v.Value)]; p.ours == "" {
			p.why = "not on the scale"
		}
		out = append(out, p)
	}
	return out
}

// proposeListed maps the labels of a list that say how serious a ticket is.
func proposeListed(rule *labelRule, values []ValueCount) []proposal {
	var out []proposal
	for _, v := range values {
		if got := rule.item(v.Value); got.value != "" {
			out = append(out, proposal{theirs: v.Value, count: v.Count, ours: got.value})
		}
	}
	return out
}

// proposeLevels maps words for priorities, if all values are such.
func proposeLevels(values []ValueCount) ([]proposal, bool) {
	var out []proposal
	for _, v := range values {
		u, ok := priorityOf(v.Value)
		if !ok {
			return nil, false
		}
		out = append(out, proposal{theirs: v.Value, count: v.Count, ours: string(u)})
	}
	return out, len(out) > 0
}

// more writes the columns that look like labels, as comments, and tells how many they are.
func (s *Suggest) more(b *strings.Builder, report *LabelReport) int {
	n := 0
	for _, col := range s.order {
		taken := slices.ContainsFunc(report.Labels, func(l LabelCount) bool { return same(l.Column, col.name) })
		if taken || !s.looksLikeLabel(col) {
			continue
		}
		n++
		name, list := fold(col.name), s.mergeOf(col)
		if s.format.isMail() && isFiled(col.name) {
			name = "route"
		}
		fmt.Fprintf(b, "\n  # column %s looks like a label: %d values in %d records\n", quoted(col.name), len(col.values), col.filled)
		var entry strings.Builder
		fmt.Fprintf(&entry, "%s:\n  column: %s\n", quoted(name), quoted(col.name))
		writeValues(&entry, "  ", list)
		for line := range strings.Lines(entry.String()) {
			b.WriteString("  # " + line)
		}
	}
	return n
}

// columnLists writes which columns are held back and shown.
func (s *Suggest) columnLists(b *strings.Builder, report *LabelReport) {
	b.WriteString("\n# Columns that agents must not see, besides labels and those below.\nhold:")
	held := s.labels.opts.Hold
	if m := s.labels.opts.Mapping; m != nil {
		held = slices.Concat(held, m.Hold)
	}
	var lines []string
	for _, name := range held {
		lines = append(lines, quoted(name))
	}
	for _, t := range report.Tells {
		line := fmt.Sprintf("%s # it tells %s in %.0f %% of %d tickets", quoted(t.Column), quoted(t.Label), 100*t.Share, t.Tickets)
		if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, quoted(t.Column)) }) {
			lines = append(lines, line)
		}
	}
	writeList(b, lines)
	for _, h := range report.Held {
		if h.Role != Outcome || !strings.HasPrefix(h.Why, "it is label") {
			fmt.Fprintf(b, "# held back: %s: %s\n", quoted(h.Name), forComment(h.Why))
		}
	}
	b.WriteString("# Columns that agents may see whatever the rules say.\nshow:")
	shown := s.labels.opts.Show
	if m := s.labels.opts.Mapping; m != nil {
		shown = slices.Concat(shown, m.Show)
	}
	lines = lines[:0]
	for _, name := range shown {
		lines = append(lines, quoted(name))
	}
	writeList(b, lines)
	for _, name := range report.Shown {
		fmt.Fprintf(b, "# shown: %s\n", quoted(name))
	}
}

func writeList(b *strings.Builder, lines []string) {
	if len(lines) == 0 {
		b.WriteString(" []\n")
		return
	}
	b.WriteString("\n")
	for _, line := range lines {
		b.WriteString("  - " + line + "\n")
	}
}

func (s *Suggest) column(name string) *suggestColumn {
	for _, c := range s.order {
		if same(c.name, name) {
			return c
		}
	}
	return nil
}

// quoted writes a text between double quotes, as both YAML and Go read it.
func quoted(text string) string { return strconv.Quote(strings.ToValidUTF8(text, "\ufffd")) }

func quotedList(list []string) string {
	out := make([]string, 0, len(list))
	for _, v := range list {
		out = append(out, quoted(v))
	}
	return strings.Join(out, ", ")
}

// forComment makes a text fit for a comment.
func forComment(text string) string {
	q := quoted(text)
	return q[1 : len(q)-1]
}
