package importer

import (
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/dataset"
)

// maxLabelColumns is how many columns are told apart; what comes after is held back.
const maxLabelColumns = 2000

// meet decides of a column that is new, or that was no label while it was empty.
func (l *Labels) meet(f *Field, col *labelColumn) *labelColumn {
	if col == nil {
		if len(l.columns) >= maxLabelColumns {
			return &labelColumn{Column: Column{Ignored, "too many columns"}}
		}
		col = &labelColumn{name: strings.Clone(f.Name)}
		l.columns[col.name] = col
		l.order = append(l.order, col)
		col.Column = l.role(col.name)
	}
	for i, r := range l.rules {
		if r.reads(col.name) {
			col.rules = append(col.rules, i)
		}
	}
	if l.usual && len(col.rules) == 0 {
		l.takeUsual(col, f.Value)
	}
	if len(col.rules) > 0 {
		names := make([]string, 0, len(col.rules))
		for _, i := range col.rules {
			names = append(names, l.rules[i].name)
		}
		col.Column = Column{Outcome, "it is label " + strings.Join(names, ", ")}
	}
	return col
}

// usualRoutes are what usually says where a ticket goes, the best first.
var usualRoutes = []string{"route", "routecategory", "group", "assignmentgroup", "queue", "department", "team", "groupid",
	"abteilung", "gruppe", "warteschlange", "fachbereich", "groupe", "equipe", "departement", "fileattente", "filedattente", "grupo", "equipo",
	"departamento", "cola", "fila", "gruppo", "dipartimento", "groep", "afdeling", "wachtrij"}

// usualNames are further labels that keep their own names.
var usualNames = []string{"type", "category", "intent", "label", "queue", "department", "kategorie", "categorie", "categoria"}

// usualLevels are labels of desks that have no scale of priorities known to us.
var usualLevels = []string{"urgency", "urgencyassessment", "severity", "difficulty", "resolutiondifficulty"}

// takeUsual takes a column for a label by its usual name, once it has a value.
func (l *Labels) takeUsual(col *labelColumn, value string) {
	if l.hold[fold(col.name)] || l.show[fold(col.name)] {
		return
	}
	key := strings.ReplaceAll(dataset.Unaccented(labelKey(col.name)), "'", "")
	listed := isList(col.name)
	switch {
	case isPriority(col.name) && (!nothing(value) || l.desk != nil && l.desk.null != ""):
		l.bind(col, "priority")
	case nothing(value):
	case listed && key == "labels" && strings.HasPrefix(l.format.Name, "github"):
		l.bind(col, "priority")
		l.bind(col, "type")
	case slices.Contains(usualRoutes, key) && l.rule("route") == nil:
		l.bind(col, "route")
	case slices.Contains(usualNames, key), l.desk == nil && slices.Contains(usualLevels, key):
		l.bind(col, key)
	}
}

// bind makes a column the source of a label, unless that has one.
func (l *Labels) bind(col *labelColumn, name string) {
	if l.rule(name) != nil || l.add(name, col.name) != nil {
		return
	}
	at := len(l.rules) - 1
	l.rules[at].usual = true
	col.rules = append(col.rules, at)
}

func (l *Labels) rule(name string) *labelRule {
	for _, r := range l.rules {
		if r.name == name {
			return r
		}
	}
	return nil
}
