package importer_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/importer"
)

func gzipped(t testing.TB, data string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(data)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// zipped packs names and contents in turn.
func zipped(t testing.TB, files ...string) string {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err == nil {
			_, err = w.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

const second = "Id,Requester,Requester email,Group,Subject,Tags,Priority,Created at\n" +
	"7,Dan,dan@example.com,Sales,A quote please,price,Low,2024-03-01 10:00:00\n"

func TestPackedFilesAreRead(t *testing.T) {
	t.Parallel()
	users := `[{"id":1,"name":"Anna"}]`
	for name, c := range map[string]struct {
		source  importer.Source
		tickets int
		passed  []importer.PassedFile
	}{
		"gz":                  {memory("a.csv.gz", gzipped(t, desk)), 4, nil},
		"gz through a pipe":   {piped("standard input", gzipped(t, desk)), 4, nil},
		"two gz in one file":  {memory("a.gz", gzipped(t, desk)+gzipped(t, strings.SplitN(second, "\n", 2)[1])), 5, nil},
		"zip":                 {memory("a.zip", zipped(t, "a.csv", desk)), 4, nil},
		"zip through a pipe":  {piped("standard input", zipped(t, "a.csv", desk)), 4, nil},
		"zip with folders":    {memory("a.zip", zipped(t, "2024/", "", "2024/01/a.csv", desk, "2024/02/b.csv", second, "__MACOSX/2024/._a.csv", "x", ".DS_Store", "y")), 5, nil},
		"gz in zip":           {memory("a.zip", zipped(t, "a.csv.gz", gzipped(t, desk))), 4, nil},
		"zip in zip":          {memory("a.zip", zipped(t, "b.zip", zipped(t, "a.csv", desk))), 4, nil},
		"zip with other data": {memory("a.zip", zipped(t, "users.json", users, "a.csv", desk, "logo.pdf", "%PDF-1.4", "empty.gz", gzipped(t, ""))), 4, []importer.PassedFile{{Name: "a.zip/users.json", Why: ""}, {Name: "a.zip/logo.pdf", Why: "it is a PDF file: export the tickets as CSV or JSON"}, {Name: "a.zip/empty.gz", Why: "the file is empty"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, res, err := imported(t, importer.Options{Sources: []importer.Source{c.source}, Split: &importer.SplitOptions{}})
			if err != nil || res.Tickets != c.tickets || res.Format != "zendesk-csv" {
				t.Fatalf("%+v: %v", res, err)
			}
			for i := range min(len(res.Passed), len(c.passed)) {
				if c.passed[i].Why == "" { // which generic format it looks like does not matter
					res.Passed[i].Why = ""
				}
			}
			if diff := cmp.Diff(c.passed, res.Passed); diff != "" {
				t.Errorf("passed over (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDamagedArchivesAreRefusedWithWhatToDo(t *testing.T) {
	t.Parallel()
	gz, archive := gzipped(t, desk), zipped(t, "a.csv", desk)
	encrypted := []byte(archive)
	encrypted[6] |= 1 // the local header's flag, and the directory's
	at := bytes.Index(encrypted, []byte("PK\x01\x02"))
	encrypted[at+8] |= 1
	method := []byte(archive)
	method[bytes.Index(method, []byte("PK\x01\x02"))+10] = 12
	damaged := []byte(gz)
	damaged[len(damaged)-6] ^= 1
	deep := desk
	for range 5 {
		deep = gzipped(t, deep)
	}
	for name, c := range map[string]struct{ name, data, want string }{
		"a gz that is cut off":    {"a.gz", gz[:len(gz)/2], "the gz file is cut off"},
		"a gz header alone":       {"a.gz", gz[:4], "the gz file is cut off"},
		"a gz that is damaged":    {"a.gz", string(damaged), "the gz file is damaged"},
		"a gz with nothing in it": {"a.gz", gzipped(t, ""), "the file is empty"},
		"a zip that is cut off":   {"a.zip", archive[:len(archive)-30], "it is damaged or cut off"},
		"a zip without files":     {"a.zip", zipped(t), "holds no file that could have tickets"},
		"a zip of rubbish":        {"a.zip", zipped(t, "a.bin", "\x00\x01\x02\x03", "b.pdf", "%PDF-1"), "none of its files is of a format that is read; the first, a.zip/a.bin: "},
		"an encrypted zip":        {"a.zip", string(encrypted), "a.zip/a.csv: it is encrypted"},
		"another packing":         {"a.zip", string(method), "it is packed in a way that is not read"},
		"gz in gz in gz in gz":    {"a.gz", deep, "more than 3 deep"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, source := range []importer.Source{memory(c.name, c.data), piped(c.name, c.data)} {
				out, _, err := imported(t, importer.Options{Sources: []importer.Source{source}})
				if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.name[:2]) {
					t.Errorf("error %v, want %q", err, c.want)
				}
				if out != "" {
					t.Errorf("it wrote %q", out)
				}
			}
		})
	}
}

func TestArchivesThatGrowWithoutEndAreStopped(t *testing.T) {
	t.Parallel()
	rows := "id,body,group\n" + strings.Repeat("1,text,x\n", 1<<17)
	for name, c := range map[string]struct {
		data   string
		limits importer.Limits
		want   string
	}{
		"gz by ratio":  {gzipped(t, rows), importer.Limits{Ratio: 20, Free: 1 << 16}, "the archive grows more than 20-fold"},
		"zip by ratio": {zipped(t, "a.csv", rows), importer.Limits{Ratio: 20, Free: 1 << 16}, "the archive grows more than 20-fold"},
		"gz in all":    {gzipped(t, rows), importer.Limits{Total: 1 << 16}, "the archive becomes more than 64 KiB"},
		"zip in all":   {zipped(t, "a.csv", rows), importer.Limits{Total: 1 << 16}, "the archive becomes more than 64 KiB"},
		"zip by files": {zipped(t, "a.csv", desk, "b.csv", second), importer.Limits{Members: 1}, "it holds 2 files: at most 1 are read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := imported(t, importer.Options{Sources: []importer.Source{memory("bomb", c.data)}, Limits: c.limits})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	_, res, err := imported(t, importer.Options{Sources: []importer.Source{memory("fine.gz", gzipped(t, rows))}})
	if err != nil || res.Rows != 1<<17 {
		t.Errorf("within the limits: %v", err)
	}
}

// FuzzImport holds that no archive or file makes an import panic, and that what it writes is lines of JSON as many as it says.
func FuzzImport(f *testing.F) {
	f.Add(desk)
	f.Add(gzipped(f, desk))
	f.Add(zipped(f, "a/a.csv", desk, "b.json", `{"tickets":[{"id":1,"subject":"a","description":"b","priority":"low"}]}`))
	f.Add(zipped(f, "b.zip", zipped(f, "a.csv", desk)))
	f.Add("From a@example.com Mon Jan  1 00:00:00 2024\nSubject: x\n\nbody\n")
	f.Fuzz(func(t *testing.T, data string) {
		out, res, err := imported(t, importer.Options{Sources: []importer.Source{memory("x", data)}, Split: &importer.SplitOptions{},
			Limits: importer.Limits{Total: 1 << 22}})
		if err == nil && strings.Count(out, "\n") != res.Tickets+1 {
			t.Errorf("%d tickets in %q", res.Tickets, out)
		}
	})
}
