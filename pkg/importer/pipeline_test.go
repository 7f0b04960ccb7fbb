package importer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/importer"
	"github.com/triagebench/triage/pkg/redact"
	"github.com/triagebench/triage/pkg/split"
	"github.com/triagebench/triage/pkg/testkit"
	"github.com/triagebench/triage/pkg/triage"
)

// memory is a source of bytes, which can jump in them as a file can.
func memory(name, data string) importer.Source {
	return importer.Source{Name: name, Size: int64(len(data)), Open: func() (*importer.Opened, error) {
		r := strings.NewReader(data)
		return &importer.Opened{Read: r, At: r, Size: int64(len(data))}, nil
	}}
}

// piped is a source that can be read once only.
func piped(name, data string) importer.Source {
	return importer.Source{Name: name, Open: func() (*importer.Opened, error) {
		return &importer.Opened{Read: io.MultiReader(strings.NewReader(data))}, nil
	}}
}

// imported runs an import into memory.
func imported(t *testing.T, o importer.Options) (string, *importer.Result, error) {
	t.Helper()
	var out bytes.Buffer
	dir := t.TempDir()
	if o.Temp == nil {
		o.Temp = func() (importer.TempFile, error) {
			f, err := os.CreateTemp(dir, "*")
			if err == nil {
				t.Cleanup(func() { _ = f.Close() })
			}
			return f, err
		}
	}
	if o.Write == nil {
		o.Write = func(write func(io.Writer) error) error { return write(&out) }
	}
	res, err := importer.Import(t.Context(), o)
	return out.String(), res, err
}

const desk = `Id,Requester,Requester email,Group,Subject,Tags,Priority,Created at
1,Anna Weber,anna@example.com,Billing,I was charged twice,refund,High,2024-01-01 10:00:00
2,Bob Ross,bob@example.com,Tech,It crashes at the start,crash,Urgent,2024-01-03 10:00:00
3,Bob Ross,bob@example.com,Tech,Nothing is saved,crash,Low,2024-01-05 10:00:00
3,Bob Ross,bob@example.com,Tech,Nothing is saved,crash,Low,2024-01-05 10:00:00
4,Bob Ross,bob@example.com,Tech,,crash,,2024-01-05 10:00:00
5,Carl May,carl@example.com,Sales,"How much is it, for ten?",price,Normal,2024-02-05 10:00:00
`

func TestAnImportIsAHeaderAndALineATicket(t *testing.T) {
	t.Parallel()
	out, res, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", desk)}, Split: &importer.SplitOptions{Test: 0.25}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"schema":"triage.tickets/1","source":"zendesk-csv","labels":{"priority":{"ordered":true,"values":["low","medium","high","critical"]},"route":{"ordered":false,"values":["Billing","Sales","Tech"]}},"redacted":false,"split":"time"}
{"id":"1","subject":"I was charged twice","body":"","created":"2024-01-01T10:00:00Z","split":"train","labels":{"priority":"high","route":"Billing"},"fields":{}}
{"id":"2","subject":"It crashes at the start","body":"","created":"2024-01-03T10:00:00Z","split":"train","labels":{"priority":"critical","route":"Tech"},"fields":{}}
{"id":"3","subject":"Nothing is saved","body":"","created":"2024-01-05T10:00:00Z","split":"train","labels":{"priority":"low","route":"Tech"},"fields":{}}
{"id":"5","subject":"How much is it, for ten?","body":"","created":"2024-02-05T10:00:00Z","split":"test","labels":{"priority":"medium","route":"Sales"},"fields":{}}
`
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	skipped := []importer.Skip{{Reason: "an id that was there before", Count: 1, File: "a.csv", Line: 5, Detail: `"3"`}, {Reason: "no text", Count: 1, File: "a.csv", Line: 6}}
	if diff := cmp.Diff(skipped, res.Skipped); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
	if res.Rows != 6 || res.Tickets != 4 || res.Dated != 4 || res.Files != 1 || res.SplitWhy != "4 of 4 tickets have a date" {
		t.Errorf("result %+v", res)
	}
}

func TestTheSameImportGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	var made bytes.Buffer
	if err := writeMade(&made, 3000); err != nil {
		t.Fatal(err)
	}
	o := func() importer.Options {
		return importer.Options{Sources: []importer.Source{memory("made.csv", made.String())}, Split: &importer.SplitOptions{}, Redact: redact.New(redact.Options{})}
	}
	first, res, err := imported(t, o())
	second, _, err2 := imported(t, o())
	if err != nil || err2 != nil || res.Tickets != 3000 {
		t.Fatal(res, err, err2)
	}
	if first != second {
		t.Error("two imports differ")
	}
}

func TestBodiesAreJoinedByID(t *testing.T) {
	t.Parallel()
	bodies := memory("b.csv", "ticket_id,comment\n#1,You took it twice.\n1,Sorry!\n9,nobody\n 4 ,Help me\n,without an id\n5,\n")
	out, res, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", desk)}, Bodies: &bodies,
		BodiesMap: map[string]string{"id": "ticket_id", "body": "comment"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"id":"1","subject":"I was charged twice","body":"You took it twice."`, `"id":"4","subject":"","body":"Help me"`, `"id":"5","subject":"How much is it, for ten?","body":""`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	if diff := cmp.Diff(&importer.BodiesReport{Rows: 6, Joined: 2, Missing: 3, Unmatched: 1, Repeated: 1, Unused: 2}, res.Bodies); diff != "" {
		t.Errorf("bodies (-want +got):\n%s", diff)
	}
	_, _, err = imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", desk)}, Bodies: &bodies, BodiesMap: map[string]string{"body": "ticket_id", "id": "nosuch"}})
	if err == nil || !strings.Contains(err.Error(), "--bodies: b.csv") || !strings.Contains(err.Error(), `no column "nosuch"`) {
		t.Errorf("a column that is not there gives %v", err)
	}
}

func TestRedactionReachesTextsFieldsAndMessageIDs(t *testing.T) {
	t.Parallel()
	data := "Ticket ID,Subject,Description,Group,Product,Requester email\n" +
		"<1@mail.example.com>,Call me,\"Hi, write to anna@example.com.\n\nBest regards,\nAnna Weber\",Tech,owner anna@example.com,anna@example.com\n"
	out, res, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", data)}, Redact: redact.New(redact.Options{})})
	if err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{"anna@example.com", "Weber", "mail.example.com"} {
		if strings.Contains(out, gone) {
			t.Errorf("%s is in\n%s", gone, out)
		}
	}
	if !strings.Contains(out, `"redacted":true`) || strings.Count(out, "[EMAIL_1]") != 2 || len(res.Redacted) == 0 {
		t.Errorf("redacted %+v in\n%s", res.Redacted, out)
	}
}

func TestWhatHoldsNoTicketIsAnErrorThatSaysWhatWasThere(t *testing.T) {
	t.Parallel()
	by := split.ByTime
	for name, c := range map[string]struct {
		o    importer.Options
		want string
	}{
		"an empty file":           {importer.Options{Sources: []importer.Source{memory("a.csv", "")}}, "a.csv: the file is empty"},
		"a header alone":          {importer.Options{Sources: []importer.Source{memory("a.csv", "id,subject,body,group\n")}}, "no ticket: there is no row"},
		"rows without text":       {importer.Options{Sources: []importer.Source{memory("a.csv", "id,subject,group\n1,,x\n2,,y\n")}}, "no ticket came out of 2 rows of csv: 2: no text (the first in line 2 of a.csv)"},
		"a binary file":           {importer.Options{Sources: []importer.Source{memory("a.bin", "\x00\x01\x02\x7f\x00\x00")}}, "it is no text and of no format"},
		"a picture":               {importer.Options{Sources: []importer.Source{memory("a.pdf", "%PDF-1.7\n")}}, "it is a PDF file"},
		"a tar archive":           {importer.Options{Sources: []importer.Source{memory("a.tar", strings.Repeat("x", 257)+"ustar"+strings.Repeat("\x00", 300))}}, "it is a tar archive"},
		"a form that is not":      {importer.Options{From: "nosuch", Sources: []importer.Source{memory("a.csv", desk)}}, `--from: there is no format "nosuch"; the formats are zendesk-csv`},
		"a form that it is not":   {importer.Options{From: "zendesk-json", Sources: []importer.Source{memory("a.csv", desk)}}, "a.csv"},
		"a folder of other files": {importer.Options{Sources: []importer.Source{folder("dir", fstest.MapFS{"a.csv": {Data: []byte(desk)}})}}, "dir is a folder, but no Maildir"},
		"a folder and --from csv": {importer.Options{From: "csv", Sources: []importer.Source{folder("dir", fstest.MapFS{})}}, "csv is not read from folders"},
		"a file and --from maildir": {importer.Options{From: "maildir", Sources: []importer.Source{memory("a.csv", desk)}},
			"a Maildir is a folder"},
		"a label without a column": {importer.Options{Labels: importer.LabelOptions{Labels: map[string]string{"route": "Nosuch"}}, Sources: []importer.Source{memory("a.csv", desk)}}, `no column "Nosuch"`},
		"two formats": {importer.Options{Sources: []importer.Source{memory("a.csv", desk), memory("b.csv", "id,body,group\n1,text,x\n")}},
			"b.csv is csv, what was read before it is zendesk-csv: import them one after the other"},
		"a bad row and --strict":    {importer.Options{Strict: true, Sources: []importer.Source{memory("a.csv", desk)}}, `a.csv: line 5: an id that was there before: "3" (--strict)`},
		"by time without dates":     {importer.Options{Split: &importer.SplitOptions{By: &by}, Sources: []importer.Source{memory("a.csv", "id,body,group\n1,text,x\n")}}, "split by time"},
		"a share that is none":      {importer.Options{Split: &importer.SplitOptions{Test: 2}, Sources: []importer.Source{memory("a.csv", desk)}}, "share of the test side"},
		"no source":                 {importer.Options{}, "there is no file to import"},
		"a source that is not":      {importer.Options{Sources: []importer.Source{{Name: "x", Open: func() (*importer.Opened, error) { return nil, fs.ErrNotExist }}}}, "file does not exist"},
		"bodies without any":        {importer.Options{Bodies: &importer.Source{Name: "b.csv", Open: memory("", "id,body\n,x\n").Open}, Sources: []importer.Source{memory("a.csv", desk)}}, "--bodies: b.csv has no row with an id and a text (1 row)"},
		"bodies that are no format": {importer.Options{Bodies: &importer.Source{Name: "b", Open: memory("", "\x00\x00").Open}, Sources: []importer.Source{memory("a.csv", desk)}}, "--bodies: b: it is no text"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, _, err := imported(t, c.o)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want %q", err, c.want)
			}
			if code := triage.CodeOf(err); code != triage.CodeFiles && code != triage.CodeUsage {
				t.Errorf("its code is %q", code)
			}
			if out != "" {
				t.Errorf("it wrote %q", out)
			}
		})
	}
}

// folder is a source that is a folder.
func folder(name string, files fs.FS) importer.Source {
	return importer.Source{Name: name, Open: func() (*importer.Opened, error) { return &importer.Opened{Folder: files}, nil }}
}

// mail is a message.
func mail(id string) string {
	return "From: Anna <anna@example.com>\r\nTo: help@example.com\r\nSubject: Question " + id + "\r\nMessage-ID: <" + id +
		"@example.com>\r\nDate: Mon, 01 Jan 2024 10:00:00 +0000\r\n\r\nHow does it work?\r\n"
}

func TestMailOfABoxAQueueIsLabelledByFileAndFolder(t *testing.T) {
	t.Parallel()
	file := func(id string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(mail(id))} }
	by := func(column string) importer.LabelOptions {
		return importer.LabelOptions{Labels: map[string]string{"route": column}}
	}
	for name, c := range map[string]struct {
		o    importer.Options
		want string // id and label of each ticket
	}{
		"Maildir folders": {importer.Options{Labels: by("@file"), Sources: []importer.Source{
			folder("Mail/.Billing/", fstest.MapFS{"cur/1:2,S": file("1"), "new/2": file("2"), "tmp/3": file("3")}), folder("Mail/.Tech", fstest.MapFS{"new/4": file("4")})}},
			"1 Billing, 2 Billing, 4 Tech"},
		"mbox files": {importer.Options{Labels: by("@file"), Sources: []importer.Source{memory("in/billing.mbox", "From a@example.com Mon Jan  1 00:00:00 2024\n"+mail("1")),
			memory("tech.mbox.gz", gzipped(t, "From a@example.com Mon Jan  1 00:00:00 2024\n"+mail("2")))}}, "1 billing, 2 tech"},
		"messages in a zip": {importer.Options{Labels: by("@folder"), Sources: []importer.Source{memory("a.zip", zipped(t, "billing/1.eml", mail("1"), "tech/2.eml", mail("2")))}},
			"1 billing, 2 tech"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, _, err := imported(t, c.o)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, line := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
				var l importer.Line
				if err := json.Unmarshal([]byte(line), &l); err != nil {
					t.Fatal(err)
				}
				if len(l.Fields) > 0 && (l.Fields["@file"] != "" || l.Fields["@folder"] != "") {
					t.Errorf("agents see where a ticket lies: %v", l.Fields)
				}
				id, _, _ := strings.Cut(strings.Trim(l.ID, "<>"), "@")
				got = append(got, id+" "+l.Labels["route"])
			}
			if diff := cmp.Diff(c.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("tickets (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWithoutDatesTheSidesAreDrawnAtRandom(t *testing.T) {
	t.Parallel()
	var rows strings.Builder
	rows.WriteString("id,body,group,created\n")
	for i := range 200 {
		date := ""
		if i%2 == 0 {
			date = "2024-01-02"
		}
		rows.WriteString(strings.Join([]string{string(rune('a'+i%26)) + strings.Repeat("x", i), "text number " + strings.Repeat("y", i), "x", date}, ",") + "\n")
	}
	out, res, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", rows.String())}, Split: &importer.SplitOptions{}})
	if err != nil || res.Split.By != split.AtRandom || res.SplitWhy != "100 of 200 tickets have a date" || !strings.Contains(out, `"split":"random"`) {
		t.Errorf("%+v: %v", res, err)
	}
	if n := strings.Count(out, `"split":"test"`); n != res.Split.Test || n == 0 {
		t.Errorf("%d lines are for testing, the report says %d", n, res.Split.Test)
	}
	same := strings.ReplaceAll(desk, "2024-01-03", "2024-01-01")
	same = strings.NewReplacer("2024-01-05", "2024-01-01", "2024-02-05", "2024-01-01").Replace(same)
	_, res, err = imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", same)}, Split: &importer.SplitOptions{}})
	if err != nil || res.Split.By != split.AtRandom || res.SplitWhy != "the tickets do not have two different dates" {
		t.Errorf("%+v: %v", res, err)
	}
}

func TestTicketsWithoutAnIDAreNamedByFileAndRow(t *testing.T) {
	t.Parallel()
	data := "subject,body,group\nOne,text,x\nTwo,text,y\n"
	out, res, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", data), piped("b.csv", data)}})
	if err != nil || res.NoID != 4 || res.Files != 2 {
		t.Fatal(res, err)
	}
	for _, id := range []string{`"id":"row-2"`, `"id":"row-3"`, `"id":"file-2-row-2"`, `"id":"file-2-row-3"`} {
		if strings.Count(out, id) != 1 {
			t.Errorf("no %s in\n%s", id, out)
		}
	}
}

func TestAnImportThatIsStoppedWritesNothing(t *testing.T) {
	t.Parallel()
	var made bytes.Buffer
	if err := writeMade(&made, 2000); err != nil {
		t.Fatal(err)
	}
	stopped := errors.New("stopped")
	for name, after := range map[string]int{"before it begins": 0, "while it reads": 3, "while it writes": 9} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			calls := 0
			dir := t.TempDir()
			_, err := importer.Import(ctx, importer.Options{Sources: []importer.Source{memory("made.csv", made.String())},
				Temp: func() (importer.TempFile, error) { return os.Create(filepath.Join(dir, "spool")) },
				Progress: func(read, size int64, _ int) {
					if calls++; calls > after {
						cancel(stopped)
					}
					if read > size || size != int64(made.Len()) {
						t.Errorf("%d of %d bytes", read, size)
					}
				},
				Write: func(write func(io.Writer) error) error {
					if name != "while it writes" {
						t.Error("it writes")
					}
					return write(io.Discard)
				}})
			if !errors.Is(err, stopped) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// fullFile is a temporary file on a disk that is full.
type fullFile struct {
	*os.File
	full testkit.Full
}

func (f *fullFile) Write(p []byte) (int, error) {
	n, full := f.full.Write(p)
	if _, err := f.File.Write(p[:n]); err != nil {
		return n, err
	}
	return n, full
}

func TestAFullDiskIsAnErrorAtEveryPoint(t *testing.T) {
	t.Parallel()
	whole, _, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", desk)}, Split: &importer.SplitOptions{}})
	if err != nil {
		t.Fatal(err)
	}
	for room := 0; room < len(whole); room += 13 {
		_, _, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", desk)}, Split: &importer.SplitOptions{},
			Write: func(write func(io.Writer) error) error { return write(&testkit.Full{Room: room}) }})
		if !errors.Is(err, testkit.ErrFull) {
			t.Fatalf("with room for %d bytes: %v", room, err)
		}
	}
	dir := t.TempDir()
	bodies := memory("b.csv", "id,body\n1,text\n")
	for _, room := range []int{0, 1, 50} {
		n := 0
		_, _, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", desk)}, Bodies: &bodies, Temp: func() (importer.TempFile, error) {
			n++
			f, err := os.Create(filepath.Join(dir, string(rune('a'+n))))
			return &fullFile{f, testkit.Full{Room: room}}, err
		}})
		if !errors.Is(err, testkit.ErrFull) {
			t.Errorf("a temporary file with room for %d bytes: %v", room, err)
		}
	}
	_, _, err = imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", desk)}, Temp: func() (importer.TempFile, error) { return nil, testkit.ErrFull }})
	if !errors.Is(err, testkit.ErrFull) || triage.CodeOf(err) != triage.CodeFiles {
		t.Errorf("no temporary file: %v", err)
	}
}

func TestATicketThatIsTooLargeIsSkipped(t *testing.T) {
	t.Parallel()
	data := "id,body,group\n1,text,x\n2,\"" + strings.Repeat("\x01", 2<<20) + "\",x\n3,text,y\n"
	out, res, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", data)}, Split: &importer.SplitOptions{}})
	if err != nil || res.Tickets != 2 || strings.Count(out, "\n") != 3 {
		t.Fatal(res, err)
	}
	if diff := cmp.Diff([]importer.Skip{{Reason: "the ticket is larger than 8 MiB", Count: 1, Line: 3}}, res.Skipped); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
}

func TestHostileTextsStayOneLineOfJSONEach(t *testing.T) {
	t.Parallel()
	data := "id,subject,body,group\n1,=cmd(),\"a\x00b\x1b[31m \u2028 </script> | \xff\xfe \"\" end\",x\n"
	out, res, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", data)}})
	if err != nil || res.Tickets != 1 {
		t.Fatal(res, err)
	}
	if strings.Count(out, "\n") != 2 || strings.ContainsAny(out, "\x00\x1b") || !utf8.ValidString(out) {
		t.Errorf("file %q", out)
	}
}

func TestADraftIsAMappingThatImportTakes(t *testing.T) {
	t.Parallel()
	o := importer.Options{Sources: []importer.Source{memory("a.csv", desk)}, Temp: func() (importer.TempFile, error) { return os.CreateTemp(t.TempDir(), "*") }}
	draft, err := importer.Draft(t.Context(), o, 0)
	if err != nil {
		t.Fatal(err)
	}
	m, err := importer.ReadMapping(bytes.NewReader(draft), "draft")
	if err != nil {
		t.Fatalf("%v in\n%s", err, draft)
	}
	plain, _, err := imported(t, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Labels.Mapping = m
	mapped, _, err := imported(t, o)
	if err != nil || plain != mapped {
		t.Errorf("%v; the draft changes the file:\n%s", err, cmp.Diff(plain, mapped))
	}
	o.Sources = []importer.Source{memory("a.csv", "id,body\n")}
	if _, err := importer.Draft(t.Context(), o, 0); err == nil || !strings.Contains(err.Error(), "no ticket: there is no row") {
		t.Errorf("a header alone gives %v", err)
	}
}
