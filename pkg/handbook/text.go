package handbook

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/triagebench/triage/pkg/tmpl"
	"github.com/triagebench/triage/pkg/triage"
)

//go:embed handbook.tmpl
var source string

// Text is the handbook as Markdown. Every number and table in it comes from the tables that grade.
func Text() string { return render() }

var render = sync.OnceValue(func() string {
	var b strings.Builder
	t := tmpl.Must(tmpl.Parse("handbook.tmpl", source, tmpl.Options{}))
	if err := t.Execute(&b, "", values()); err != nil {
		panic("handbook: " + err.Error()) // the template is part of the program; a test renders it
	}
	return b.String()
})

type line struct {
	Name, When, Category, Words string
	Points                      int
}

type document struct {
	Urgency, Points, DeskPoints, Additions, Kinds     []line
	MaxScore                                          int
	Scale, DaysLine                                   string
	Furious, Outraged, ManagementTone, Wait, LongWait string
	Examples                                          []string
}

func values() document {
	d := document{MaxScore: maxScore, Furious: number(furious), Outraged: number(outraged),
		ManagementTone: number(managementTone), Wait: number(wait), LongWait: number(longWait), Examples: examples}
	for _, r := range urgencyTable {
		d.Urgency = append(d.Urgency, line{Name: string(r.urgency), When: r.when})
	}
	d.Points = scoreLines()
	d.DeskPoints = deskLines()
	d.Additions = []line{
		{Name: "sentiment at or under " + number(furious), Points: 2},
		{Name: "else sentiment at or under " + number(annoyed), Points: 1},
		{Name: "wait of " + number(longWait) + " hours or more", Points: 2},
		{Name: "else wait of " + number(wait) + " hours or more", Points: 1},
		{Name: "escalated", Points: 1},
	}
	p := triage.Priorities()
	scale := fmt.Sprintf("0–%d %s", priorityFrom[0]-1, p[0])
	for i, from := range priorityFrom {
		if i+1 < len(priorityFrom) {
			scale += fmt.Sprintf(", %d–%d %s", from, priorityFrom[i+1]-1, p[i+1])
		} else {
			scale += fmt.Sprintf(", %d and more %s.", from, p[i+1])
		}
	}
	d.Scale = scale
	days := make([]string, 0, len(p))
	for i := len(p) - 1; i >= 0; i-- {
		days = append(days, fmt.Sprintf("%s %d", p[i], priorityDays[i]))
	}
	d.DaysLine = strings.Join(days, ", ")
	for _, c := range triage.Categories() {
		words := make([]string, len(kindWords[c]))
		for i, w := range kindWords[c] {
			words[i] = w.Word
			if len(w.Also) > 0 {
				words[i] += " (" + strings.Join(w.Also, ", ") + ")"
			}
		}
		d.Kinds = append(d.Kinds, line{Category: string(c), Words: strings.Join(words, ", ")})
	}
	return d
}

func scoreLines() []line {
	var out []line
	for i, u := range triage.Urgencies() {
		out = append(out, line{Name: "urgency " + string(u), Points: urgencyPoints[i]})
	}
	for i, t := range triage.Tiers() {
		out = append(out, line{Name: "tier " + string(t), Points: tierPoints[i]})
	}
	return append(out,
		line{Name: "wait under " + number(waitBounds[0]) + " hours", Points: waitPoints[0]},
		line{Name: "wait under " + number(waitBounds[1]) + " hours", Points: waitPoints[1]},
		line{Name: "wait of " + number(waitBounds[1]) + " hours or more", Points: waitPoints[2]},
		line{Name: "escalated", Points: escalatedPoints},
		line{Name: strconv.Itoa(contactsFrom) + " or more previous contacts", Points: contactsPoints})
}

func deskLines() []line {
	return []line{
		{Category: string(triage.Bug), Points: bugPoints[3], When: "data at risk"},
		{Category: string(triage.Bug), Points: bugPoints[2], When: "blocked"},
		{Category: string(triage.Bug), Points: bugPoints[1], When: "degraded"},
		{Category: string(triage.Bug), Points: bugPoints[0], When: "cosmetic"},
		{Category: string(triage.Question), Points: questionPoints[2], When: "work is blocked until it is answered"},
		{Category: string(triage.Question), Points: questionPoints[1], When: "a deadline within days or hours"},
		{Category: string(triage.Question), Points: questionPoints[0], When: "anything else"},
		{Category: string(triage.FeatureRequest), Points: featurePoints[2], When: "a contract, renewal or launch depends on it"},
		{Category: string(triage.FeatureRequest), Points: featurePoints[1], When: "wanted for a team's or the company's daily work"},
		{Category: string(triage.FeatureRequest), Points: featurePoints[0], When: "anything else"},
	}
}

// number prints a bound as people write it, with a real minus sign.
func number(v float64) string {
	return strings.Replace(strconv.FormatFloat(v, 'f', -1, 64), "-", "−", 1)
}
