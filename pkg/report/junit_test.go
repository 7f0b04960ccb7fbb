package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/testkit"
	"github.com/triagebench/triage/pkg/triage"
)

var someChecks = []triage.Check{
	{ID: "health", Description: "GET /health", Expected: "status 200", Seen: "status 200", Passed: true},
	{ID: "a/b<c>", Description: `"quoted" & \x1b`, Expected: "1 < 2", Seen: "two\nlines \x1b[31m ]]>"},
	{ID: "left out", Description: "a check", Expected: "x", Skipped: "it does not apply"},
	{ID: "told", Description: "a figure", Expected: "printed", Seen: "0.5", Printed: true},
}

func TestJUnitIsItsGolden(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := report.JUnit(&b, "triage validate", someChecks); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, filepath.Join("testdata", "checks.junit.xml"), b.String())
	dec := xml.NewDecoder(&b)
	for {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("it is no XML: %v", err)
		}
	}
	if err := report.JUnit(&testkit.Full{Room: 50}, "x", someChecks); !errors.Is(err, testkit.ErrFull) {
		t.Errorf("a full disk gives %v", err)
	}
}
