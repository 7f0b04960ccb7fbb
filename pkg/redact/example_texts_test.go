package redact_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/redact"
)

// sendersLeft counts the texts of examples/own-tickets where a short one of the last eight lines holds a first and a last name beside each other, or a first name
// alone on its line, of the lists that the made-up senders come from; before and after redaction.
func sendersLeft(t *testing.T, show bool) (texts, before, after int) {
	t.Helper()
	read := func(name string) []byte {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	lists := regexp.MustCompile(`\[([^\]]*)\]`).FindAllStringSubmatch(string(read("../scenario/bank/voices/names.yaml")), 4)
	if len(lists) != 4 {
		t.Fatal("the bank's names are not where they were")
	}
	alt := func(a, b string) string { return strings.ReplaceAll(a+", "+b, ", ", "|") }
	first, last := alt(lists[0][1], lists[1][1]), alt(lists[2][1], lists[3][1])
	sender := regexp.MustCompile(`(?im)\b(` + first + `) (` + last + `)\b|\b(` + last + `), (` + first + `)\b|^[ -]*(` + first + `)[ .,!]*$`)
	end := func(s string) string { // the short ones of the last lines
		lines := strings.Split(strings.TrimSpace(s), "\n")
		lines = lines[max(0, len(lines)-8):]
		return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return len(l) > 60 }), "\n")
	}
	var export struct {
		Tickets []struct {
			Description string `json:"description"`
		} `json:"tickets"`
	}
	if err := json.Unmarshal(read("../../examples/own-tickets/bodies.json"), &export); err != nil {
		t.Fatal(err)
	}
	r := redact.New(redact.Options{})
	for _, one := range export.Tickets {
		text := one.Description
		if texts++; !sender.MatchString(end(text)) {
			continue
		}
		before++
		r.Record([]*string{&text}, nil)
		if left := sender.FindString(end(text)); left != "" {
			after++
			if show {
				lines := strings.Split(end(text), "\n")
				t.Logf("left %q in %q", left, lines[max(0, len(lines)-5):])
			}
		}
	}
	return texts, before, after
}

func TestNearlyAllSendersOfTheExampleAreHidden(t *testing.T) {
	t.Parallel()
	texts, before, after := sendersLeft(t, testing.Verbose())
	t.Logf("%d texts, %d signed, %d of them still after redaction", texts, before, after)
	if before < 200 || after*100 > before*5 {
		t.Errorf("of %d signed texts %d still hold the sender's name, want at most 5 %%", before, after)
	}
}
