package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
	Out      string      `xml:"system-out,omitempty"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitMessage `xml:"failure"`
	Skipped *junitMessage `xml:"skipped"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit prints checks as a suite of tests, as build servers read it. A line that is only printed is a test that holds. Notes are
// lines about the whole suite.
func JUnit(w io.Writer, suite string, checks []triage.Check, notes ...string) error {
	out := junitSuite{Name: suite, Tests: len(checks), Out: strings.Join(notes, "\n")}
	for _, c := range checks {
		one := junitCase{Class: suite, Name: c.ID, Out: c.Description + ": " + c.Seen}
		switch {
		case c.Skipped != "":
			out.Skipped++
			one.Skipped = &junitMessage{Message: c.Skipped}
			one.Out = c.Description
		case !c.Passed && !c.Printed:
			out.Failures++
			one.Failure = &junitMessage{Message: "expected " + c.Expected, Text: "seen: " + c.Seen}
			one.Out = c.Description
		}
		out.Cases = append(out.Cases, one)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(out); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}
