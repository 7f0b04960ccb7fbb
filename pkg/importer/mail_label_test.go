package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/importer"
)

// box is a mbox of mails with headers of their own.
func box(headers ...string) importer.Source {
	var b strings.Builder
	for i, h := range headers {
		fmt.Fprintf(&b, "From a@example.com Mon Jan  1 10:%02d:00 2024\nFrom: a@example.com\nMessage-ID: <%d@x>\nSubject: mail %d\n%s\nDate: Mon, 1 Jan 2024 10:%02d:00 +0000\n\nHello.\n\n", i, i, i, h, i)
	}
	return memory("in.mbox", b.String())
}

func readMapping(t *testing.T, text string) *importer.Mapping {
	t.Helper()
	m, err := importer.ReadMapping(strings.NewReader(text), "m.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMailIsLabelledByGmailsLabelsAndByHeadersOfYourOwn(t *testing.T) {
	t.Parallel()
	gmail := []string{"X-Gmail-Labels: Inbox,Billing,Unread", "X-Gmail-Labels: =?UTF-8?Q?Inbox,Support/Caf=C3=A9,Category_Updates?=", "X-Gmail-Labels: Inbox,Billing,Support", "X-Gmail-Labels: Inbox"}
	own := []string{"X-Folder: Billing\nX-Plan: gold", "x-folder: Technical\nX-Plan: free", "X-Other: 1"}
	type sm = map[string]string
	for name, tt := range map[string]struct {
		mails  []string
		labels importer.LabelOptions
		want   []string // the labels and fields of each ticket
	}{
		"labels": {gmail, importer.LabelOptions{Labels: sm{"route": "labels"}}, []string{`"labels":{"route":"Billing"},"fields":{}`, `"labels":{"route":"Support/Café"},"fields":{}`}},
		"the header of labels": {gmail, importer.LabelOptions{Labels: sm{"route": "X-Gmail-Labels"}},
			[]string{`"labels":{"route":"Billing"},"fields":{}`, `"labels":{"route":"Support/Café"},"fields":{}`}},
		"behind a name": {[]string{"X-Gmail-Labels: Inbox,Route/Billing,Old", "X-Gmail-Labels: route: Tech"}, importer.LabelOptions{Labels: sm{"route": "labels"}},
			[]string{`"labels":{"route":"Billing"},"fields":{}`, `"labels":{"route":"Tech"},"fields":{}`}},
		"a mapping says which": {gmail, importer.LabelOptions{Mapping: readMapping(t, "labels: {route: {column: labels, values: {Support: tech}}}")},
			[]string{`"labels":{"route":"tech"},"fields":{}`}},
		"a header": {own, importer.LabelOptions{Labels: sm{"route": "X-Folder"}}, []string{`"labels":{"route":"Billing"},"fields":{}`, `"labels":{"route":"Technical"},"fields":{}`}},
		"a header that is shown": {own, importer.LabelOptions{Mapping: readMapping(t, "labels: {route: {column: x_folder}}\nshow: [X-Plan]")},
			[]string{`"labels":{"route":"Billing"},"fields":{"X-Plan":"gold"}`, `"labels":{"route":"Technical"},"fields":{"X-Plan":"free"}`}},
	} {
		out, _, err := imported(t, importer.Options{Sources: []importer.Source{box(tt.mails...)}, Labels: tt.labels})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, line := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
			_, line, _ = strings.Cut(line, `"labels"`)
			got = append(got, `"labels"`+strings.TrimSuffix(line, "}"))
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestMailWithoutALabelSaysWhatCanBeOne(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		column, want string
	}{
		"none named":          {"", "of mails it can be the file or folder in which they lie (@file, @folder), the labels of Gmail (labels), or a header of yours by its name (X-Folder)"},
		"a missing header":    {"X-Queue", `label route: no column or header "X-Queue": the columns are from, `},
		"a program's labels":  {"labels", `column "labels" has labels that a program gave only, such as Inbox and Unread: name another column`},
		"a column that lacks": {"list-id", `label route: no ticket has a value of it: column "list-id" is empty in all of them: name another column, or leave the label out`},
	} {
		o := importer.Options{Sources: []importer.Source{box("X-Gmail-Labels: Inbox,Unread", "X-Gmail-Labels: Inbox")}}
		if tt.column != "" {
			o.Labels.Labels = map[string]string{"route": tt.column}
		}
		if _, _, err := imported(t, o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %s", name, err, tt.want)
		}
	}
}

func TestADraftOfMailOffersWhatThereIs(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		mails      []string
		want, lack string
		labels     map[string]string
	}{
		"labels of people": {[]string{"X-Gmail-Labels: Inbox,Billing", "X-Gmail-Labels: Support,Inbox"},
			"labels: # no column is usually a label: take the marks of comment from those below that are one\n\n  # column \"labels\" looks like a label: 3 values in 2 records\n" +
				"  # \"route\":\n  #   column: \"labels\"\n  #   values:\n  #     \"Inbox\": null # 2: given by a program\n  #     \"Billing\": \"Billing\" # 1\n  #     \"Support\": \"Support\" # 1\n", "none looks like one", nil},
		"labels that were named": {[]string{"X-Gmail-Labels: Inbox,Billing", "X-Gmail-Labels: Support,Inbox"},
			"labels:\n  \"route\":\n    column: \"labels\"\n    values:\n      \"Inbox\": null # 2: given by a program\n", "\"Inbox\": \"Inbox\"", map[string]string{"route": "labels"}},
		"nothing": {[]string{"X-A: 1", "X-A: 2"}, "labels: {} # no column is usually a label, and none looks like one: name it with --label NAME=COLUMN\n\n# The label: of mails it can be", "take the marks", nil},
	} {
		o := importer.Options{Sources: []importer.Source{box(tt.mails...)}, Temp: noTemp(t), Labels: importer.LabelOptions{Labels: tt.labels}}
		draft, err := importer.Draft(t.Context(), o, 0)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(draft); !strings.Contains(text, tt.want) || strings.Contains(text, tt.lack) {
			t.Errorf("%s: draft is\n%s", name, text)
		}
		readMapping(t, string(draft))
	}
}

// noTemp makes no temporary file: none is needed.
func noTemp(t *testing.T) func() (importer.TempFile, error) {
	return func() (importer.TempFile, error) { t.Error("a temporary file is made"); return nil, nil }
}
