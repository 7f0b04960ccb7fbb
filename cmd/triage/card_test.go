package main_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheCardHasNoFigureOfItsOwn: every figure of docs/card.md stands in the methodology or in the study, and its table has their rows.
func TestTheCardHasNoFigureOfItsOwn(t *testing.T) {
	t.Parallel()
	doc := func(name ...string) string {
		return readText(t, filepath.Join(append([]string{"..", "..", "docs"}, name...)...))
	}
	card, method := doc("card.md"), doc("benchmark.md")
	sources := method + doc("validity", "README.md")
	figures := regexp.MustCompile(`\b[0-9]+\.[0-9]+\b|\b[0-9]+/[0-9]+\b|\b[0-9]{3}\b|\b[0-9]-[0-9a-f]{12}\b`)
	seen := 0
	for _, figure := range figures.FindAllString(card, -1) {
		seen++
		if figure != "000" && !regexp.MustCompile(`\b`+regexp.QuoteMeta(figure)+`\b`).MatchString(sources) {
			t.Errorf("%s is in neither docs/benchmark.md nor docs/validity/README.md", figure)
		}
	}
	if seen < 40 {
		t.Errorf("the card has %d figures", seen)
	}
	for ours, theirs := range map[string]string{"floor": "floor", "words by hand (`keyword`)": "keyword", "rules (`heuristic`)": "heuristic", "target": "target", "ceiling (`oracle`)": "oracle"} {
		row := regexp.MustCompile(`(?m)^\| ` + theirs + ` (\|.*\|)$`).FindStringSubmatch(method)
		if row == nil || !strings.Contains(card, "\n| "+ours+" "+row[1]+"\n") {
			t.Errorf("the card's row %q is not the methodology's: %q", ours, row)
		}
	}
}
