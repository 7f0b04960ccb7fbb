package export

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// mostCharacters is how much of a text of a ticket stands in JUnit: build servers keep it for every build.
const mostCharacters = 400

// junitWriter collects a suite for each run, agent and task: the counts stand before the cases.
type junitWriter struct {
	w      io.Writer
	below  float64
	suites []*junitSuite
	by     map[junitKey]*junitSuite
}

var _ Writer = (*junitWriter)(nil)

type junitKey struct {
	src         *Source
	agent, task string
}

type junitSuite struct {
	junitKey
	tests, failures, errors, skipped int
	cases                            bytes.Buffer
}

// NewJUnit writes a suite for each run, agent and task, with a case a ticket (queue and imported tickets) or an episode (desk). A
// ticket fails where its score is under below, 0 < below ≤ 1; with below 0 it fails where it is not right as reliability counts it:
// everything right, and on the desk track the task's target reached. What broke is an error, what the environment did not grade is
// skipped. Nothing takes time. What XML cannot hold is replaced. All cases are held until Close.
func NewJUnit(w io.Writer, below float64) Writer {
	return &junitWriter{w: w, below: below, by: map[junitKey]*junitSuite{}}
}

// Episode adds the cases of an episode.
func (j *junitWriter) Episode(src *Source, ep *results.Logged) error {
	list, err := Tickets(ep)
	if err != nil {
		return err
	}
	key := junitKey{src, ep.Key.Agent, ep.Key.Task}
	s := j.by[key]
	if s == nil {
		s = &junitSuite{junitKey: key}
		j.by[key], j.suites = s, append(j.suites, s)
	}
	for i := range list {
		s.add(&list[i], j.below)
	}
	return nil
}

// add writes a case.
func (s *junitSuite) add(t *Ticket, below float64) {
	b := &s.cases
	s.tests++
	b.WriteString(`    <testcase classname="` + classPlace + `" name="`)
	attribute(b, t.caseName())
	b.WriteByte('"')
	score := t.total()
	switch {
	case t.Broke != "":
		s.errors++
		outcome(b, "error", "broken", "the episode broke: "+clip(t.Broke, mostCharacters), "")
	case score == nil:
		s.skipped++
		b.WriteString("><skipped message=\"the environment does not tell how it was graded\"/></testcase>\n")
	case t.fails(*score, below):
		s.failures++
		kind, message := "wrong", "score "+decimals(*score)
		if t.Refused != "" {
			kind, message = "refused", message+": "+clip(t.Refused, mostCharacters)
		}
		outcome(b, "failure", kind, message, t.explanation())
	default:
		b.WriteString("/>\n")
	}
}

// classPlace stands for a suite's class until it is known of how many runs the suites are: no text that is written has a NUL.
const classPlace = "\x00"

// class names the class of a suite's cases; it is the run's own where there are several.
func (s *junitSuite) class(withRun bool) []byte {
	var b bytes.Buffer
	if withRun {
		attribute(&b, s.src.Name+": ")
	}
	attribute(&b, s.agent+"."+s.task)
	return b.Bytes()
}

// outcome closes a case that does not pass.
func outcome(b *bytes.Buffer, element, kind, message, text string) {
	b.WriteString("><" + element + ` type="` + kind + `" message="`)
	attribute(b, message)
	b.WriteString(`">`)
	attribute(b, text)
	b.WriteString("</" + element + "></testcase>\n")
}

// attribute writes a text so that it may stand anywhere in XML 1.0. What cannot becomes U+FFFD.
func attribute(b *bytes.Buffer, s string) {
	_ = xml.EscapeText(b, []byte(s)) // a buffer takes everything
}

func decimals(v float64) string { return string(triage.AppendRounded(nil, v)) }

// total is what a ticket is worth: on the desk track the score of its episode. It is nil where there is none.
func (t *Ticket) total() *float64 {
	switch {
	case t.Score == nil:
		return nil
	case t.Task.Track == triage.Desk:
		return t.EpisodeScore
	}
	return &t.Score.Total
}

func (t *Ticket) fails(score, below float64) bool {
	if below > 0 {
		return triage.Rounded(score) < below
	}
	return !t.Right
}

// place names a ticket within its agent and task: seed/position#trial.
func (t *Ticket) place() string {
	name := strconv.FormatInt(t.Key.Seed, 10)
	if t.Task.Track == triage.Queue {
		name += "/" + strconv.Itoa(t.Position)
	}
	if t.Key.Trial > 0 {
		name += "#" + strconv.Itoa(t.Key.Trial)
	}
	return name
}

// caseName is unique within a suite and the same in every build: it begins with the place.
func (t *Ticket) caseName() string {
	const most = 100
	name := t.place()
	if id := t.ID(); id != "" {
		name += " " + clip(id, most)
	}
	if subject, _ := t.Text(); subject != "" {
		name += ": " + clip(subject, most)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, name)
}

// explanation lists the parts with what each earned and why, then what is behind the ticket.
func (t *Ticket) explanation() string {
	var b bytes.Buffer
	for _, p := range t.Score.Parts {
		fmt.Fprintf(&b, "%s %s: %s\n", p.Name, decimals(p.Value), clip(p.Why.String(), mostCharacters))
	}
	if t.About.Scenario != "" {
		fmt.Fprintf(&b, "scenario %s", t.About.Scenario)
		for i, trap := range t.About.Traps {
			if i == 0 {
				b.WriteString(", traps")
			}
			b.WriteString(" " + trap)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "answer %s\n", clip(string(t.Answer), mostCharacters))
	return b.String()
}

// Close writes all suites, in the order in which they began.
func (j *junitWriter) Close() error {
	var b bytes.Buffer
	b.WriteString(xml.Header)
	tests, failures, errs, skipped := 0, 0, 0, 0
	for _, s := range j.suites {
		tests, failures, errs, skipped = tests+s.tests, failures+s.failures, errs+s.errors, skipped+s.skipped
	}
	fmt.Fprintf(&b, "<testsuites name=\"triage\" tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\">\n", tests, failures, errs, skipped)
	several := len(j.sources()) > 1
	for _, s := range j.suites {
		s.head(&b, s.src.Name, several)
		if _, err := j.w.Write(b.Bytes()); err != nil {
			return err
		}
		if _, err := j.w.Write(bytes.ReplaceAll(s.cases.Bytes(), []byte(classPlace), s.class(several))); err != nil {
			return err
		}
		b.Reset()
		b.WriteString("  </testsuite>\n")
	}
	b.WriteString("</testsuites>\n")
	_, err := j.w.Write(b.Bytes())
	return err
}

// sources are the runs of the suites.
func (j *junitWriter) sources() map[*Source]bool {
	out := map[*Source]bool{}
	for _, s := range j.suites {
		out[s.src] = true
	}
	return out
}

// head writes what stands before the cases of a suite.
func (s *junitSuite) head(b *bytes.Buffer, run string, withRun bool) {
	name := s.agent + " on " + s.task
	if withRun {
		name += " (" + run + ")"
	}
	b.WriteString(`  <testsuite name="`)
	attribute(b, name)
	fmt.Fprintf(b, "\" tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\">\n    <properties>\n", s.tests, s.failures, s.errors, s.skipped)
	for _, p := range [][2]string{{"run", run}, {"agent", s.agent}, {"task", s.task}, {"generator", s.src.Generator}, {"grader", s.src.Grader}, {"split", s.src.Split}} {
		if p[1] == "" {
			continue
		}
		b.WriteString(`      <property name="` + p[0] + `" value="`)
		attribute(b, p[1])
		b.WriteString("\"/>\n")
	}
	b.WriteString("    </properties>\n")
}
