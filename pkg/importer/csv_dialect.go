package importer

import (
	"fmt"
	"slices"
	"strings"
)

// dialect is what is known of the tables of one desk, whether they are CSV or sheets.
type dialect struct {
	name, title string
	// Columns of the parts of a ticket, the best first. Customer is the column that splits go by.
	id, subject, body, customer, created []string
	// Marks tell the dialect: a header is of it when it has a column for the id (if the dialect has ids), one for the subject or body,
	// and at least need of these.
	marks []string
	need  int
	// Columns are those that are known, with their roles.
	columns []columns
	// Loose says that names of parts may have "ticket", "issue" or "case" before them.
	loose bool
	// Order is the usual one of day and month in dates.
	order dateOrder
	// Clean makes a body plain text; nil leaves it as it is.
	clean func(string) string
	// Priority is as in [Format].
	priority []Step

	byName   map[string]Column // by folded name
	prefixes []prefix
	spelled  map[string]bool
}

// columns are known columns of one role and reason. A name that ends in * stands for all that begin so.
type columns struct {
	role  Role
	why   string
	names []string
}

type prefix struct {
	start  string // folded
	column Column
}

// ready makes the tables by which columns are looked up.
func (d *dialect) ready() {
	d.byName, d.spelled, d.prefixes = map[string]Column{}, map[string]bool{}, nil
	for _, group := range d.columns {
		c := Column{Role: group.role, Why: group.why}
		for _, name := range group.names {
			if start, ok := strings.CutSuffix(name, "*"); ok {
				d.prefixes = append(d.prefixes, prefix{fold(start), c})
				continue
			}
			d.byName[fold(name)], d.spelled[name] = c, true
		}
	}
}

// column says what a column is.
func (d *dialect) column(name string) (Column, bool) {
	key := fold(name)
	if c, ok := d.byName[key]; ok {
		return c, true
	}
	for _, p := range d.prefixes {
		if strings.HasPrefix(key, p.start) {
			return p.column, true
		}
	}
	return Column{}, false
}

// format makes the format whose files are CSV in this dialect.
func (d *dialect) format() Format {
	d.ready()
	return Format{
		Name: d.name, Title: d.title, Priority: d.priority, Column: d.column,
		Detect: func(head []byte, name string) int { return d.sureOf(head, name) },
		Open:   func(in *Input) (Reader, error) { return openCSV(in, d) },
	}
}

// text makes a body plain text.
func (d *dialect) text(cell string) string {
	if d.clean == nil || cell == "" {
		return cell
	}
	return strings.TrimSpace(d.clean(cell))
}

// columnsOf finds the columns of a part: those called as the user chose, or else as the first of the usual names that is there.
func (d *dialect) columnsOf(part, chosen string, usual, header []string) ([]int, error) {
	if chosen != "" {
		at := columnsCalled(header, func(name string) bool { return same(name, chosen) })
		if at == nil {
			return nil, fmt.Errorf("no column %q for %s: the columns are %s", chosen, part, listed(header))
		}
		return at, nil
	}
	for _, want := range usual {
		want = fold(want)
		at := columnsCalled(header, func(name string) bool { return fold(name) == want })
		if at == nil && d.loose {
			at = columnsCalled(header, func(name string) bool { return bareName(name) == want })
		}
		if at != nil {
			return at, nil
		}
	}
	return nil, nil
}

func columnsCalled(header []string, is func(string) bool) (at []int) {
	for i, name := range header {
		if is(name) {
			at = append(at, i)
		}
	}
	return at
}

// bareName is a folded name without what some desks put before it.
func bareName(name string) string {
	name = fold(name)
	for _, before := range []string{"ticket", "issue", "case", "customer"} {
		if rest, ok := strings.CutPrefix(name, before); ok && rest != "" {
			return rest
		}
	}
	return name
}

// score tells how sure it is, 0..100, that a header is of this dialect. The share of columns that are known decides, so that dialects
// with common words (Freshdesk, Freshservice) are told apart; then how they are spelled.
func (d *dialect) score(header []string) int {
	has := make(map[string]bool, len(header))
	for _, name := range header {
		has[fold(name)] = true
	}
	count := func(names []string) int {
		n := 0
		for _, name := range names {
			if has[fold(name)] {
				n++
			}
		}
		return n
	}
	if len(d.id) > 0 && count(d.id) == 0 || count(d.subject)+count(d.body) == 0 || count(d.marks) < d.need {
		return 0
	}
	known, spelled := 0, 0
	for _, name := range header {
		if _, ok := d.column(name); ok {
			known++
		}
		if d.spelled[name] {
			spelled++
		}
	}
	return 40 + (50*known+5*spelled)/len(header)
}

// tableDialects makes the dialects of tables, the general one last.
func tableDialects() []*dialect {
	all := []*dialect{zendeskTable(), freshdeskTable(), freshserviceTable(), jiraTable(), jiraPipelineTable(), servicenowTable(),
		tobiBueckTable(), kaggleTable(), plainTable()}
	for _, d := range all {
		d.ready()
	}
	return all
}

// dialectOf finds the dialect of a header; the general one where no desk's fits. Sure is 0..100, 10 at most for the general one.
func dialectOf(header []string) (d *dialect, sure int) {
	all := tableDialects()
	general := all[len(all)-1]
	for _, one := range all[:len(all)-1] {
		if n := one.score(header); n > sure {
			d, sure = one, n
		}
	}
	if d == nil {
		return general, general.general(header)
	}
	return d, sure
}

// general tells how sure the general dialect is of a header: 10 at most.
func (d *dialect) general(header []string) int {
	for part, names := range [][]string{d.subject, d.body, d.id} {
		if at, err := d.columnsOf("", "", names, header); err == nil && at != nil {
			return 10 - part
		}
	}
	if len(header) > 1 {
		return 5
	}
	return 1
}

// dialectNamed gives a dialect by its format's name, such as "jira-csv"; nil where there is none.
func dialectNamed(name string) *dialect {
	for _, d := range tableDialects() {
		if d.name == name {
			return d
		}
	}
	return nil
}

// markup makes HTML plain text where a cell has any, and leaves other texts as they are: "a < b" is not HTML.
func markup(s string) string {
	if looksLikeHTML(s) {
		return plainText(s)
	}
	return s
}

// looksLikeHTML tells whether a text has a tag that closes, or one of those that mail and desks write.
func looksLikeHTML(s string) bool {
	for i := strings.IndexByte(s, '<'); i >= 0 && i+1 < len(s); {
		rest := s[i+1:]
		if len(rest) > 1 && rest[0] == '/' && letter(rest[1]) {
			return true
		}
		end := 0
		for end < len(rest) && end < 11 && (letter(rest[end]) || rest[end] >= '0' && rest[end] <= '9') {
			end++
		}
		if slices.Contains([]string{"br", "hr", "p", "div", "img", "meta", "html", "body", "table", "span"}, strings.ToLower(rest[:end])) {
			return true
		}
		next := strings.IndexByte(rest, '<')
		if next < 0 {
			return false
		}
		i += 1 + next
	}
	return false
}

func letter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// unescaped makes line breaks of the two characters \n, as some exports write them to keep a row on one line.
func unescaped(s string) string {
	if !strings.Contains(s, `\n`) {
		return s
	}
	return strings.NewReplacer(`\r\n`, "\n", `\n`, "\n", `\t`, "\t").Replace(s)
}
