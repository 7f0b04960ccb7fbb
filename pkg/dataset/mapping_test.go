package dataset_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/dataset"
	"github.com/triagebench/triage/pkg/triage"
)

func TestParseMap(t *testing.T) {
	t.Parallel()
	const want = "name is id, subject, body or the name of a label, column is the file's, as in body=text,route=category"
	for _, tt := range []struct {
		name, in string
		want     m
		err      string
	}{
		{name: "empty", in: " ", want: m{}},
		{name: "one", in: "body=text", want: m{"body": "text"}},
		{name: "spaces and case", in: " Body = Issue Text , ROUTE=a=b", want: m{"body": "Issue Text", "ROUTE": "a=b"}},
		{name: "no column", in: "body=text,route", err: `column map, entry 2: "route" is not name=column: ` + want},
		{name: "empty column", in: "route= ", err: `column map, entry 1: "route=" is not name=column: ` + want},
		{name: "empty name", in: "=text", err: `column map, entry 1: "=text" is not name=column: ` + want},
		{name: "a comma too many", in: "body=text,", err: `column map, entry 2: "" is not name=column: ` + want},
		{name: "twice", in: "body=text,BODY=other", err: `column map, entry 2: "body" is mapped twice, to "text" and to "other"`},
		{name: "metadata", in: "metadata=x",
			err: `column map, entry 1: "metadata" cannot be the name of a label: every action may carry a field of that name`},
		{name: "a long name", in: strings.Repeat("ä", 101) + "=x",
			err: `column map, entry 1: the name of a label has to be a text of 1 to 200 bytes on one line, not "` + strings.Repeat("ä", 60) + `…"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := dataset.ParseMap(tt.in)
			if tt.err != "" {
				if err == nil || err.Error() != tt.err || triage.CodeOf(err) != triage.CodeUsage {
					t.Errorf("error is\n%v, want\n%s", err, tt.err)
				}
				return
			}
			if d := cmp.Diff(tt.want, got); d != "" || err != nil {
				t.Errorf("mapping differs, error %v (-want +got):\n%s", err, d)
			}
		})
	}
}
