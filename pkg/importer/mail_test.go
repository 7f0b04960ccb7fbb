package importer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/testkit"
)

// listedRecords writes what a reader gives: every record, every row that is none, and the error that ends it.
func listedRecords(r Reader, err error) string {
	var out strings.Builder
	if err != nil {
		return fmt.Sprintf("error: %v\n", err)
	}
	for {
		rec, err := r.Next()
		var bad *RowError
		switch {
		case errors.Is(err, io.EOF):
			if w, ok := r.(Warner); ok {
				for _, one := range w.Warnings() {
					fmt.Fprintf(&out, "warning: %d from line %d: %s: %s\n", one.Count, one.Line, one.Reason, one.Detail)
				}
			}
			return out.String()
		case errors.As(err, &bad):
			fmt.Fprintf(&out, "skipped: %v\n", bad)
			continue
		case err != nil:
			return out.String() + fmt.Sprintf("error: %v\n", err)
		}
		fmt.Fprintf(&out, "line %d id=%q customer=%q created=%s\nsubject: %q\n", rec.Line, rec.ID, rec.Customer, rec.Created.Format("2006-01-02T15:04:05Z07:00"), rec.Subject)
		for line := range strings.SplitSeq(rec.Body, "\n") {
			fmt.Fprintf(&out, "    %s\n", line)
		}
		for _, f := range rec.Fields {
			if f.Value != "" {
				fmt.Fprintf(&out, "  %s = %q\n", f.Name, f.Value)
			}
		}
	}
}

// seekable is an input that can be read anywhere, as a file can.
func seekable(name string, data []byte) *Input {
	return &Input{Name: name, Read: bytes.NewReader(data), At: bytes.NewReader(data), Size: int64(len(data))}
}

// streamed is an input that can be read once, with temporary files in the test's folder.
func streamed(t testing.TB, name string, data []byte) *Input {
	return &Input{Name: name, Read: iotest.HalfReader(bytes.NewReader(data)), Temp: func() (TempFile, error) {
		f, err := os.CreateTemp(t.TempDir(), "")
		if err == nil {
			t.Cleanup(func() { _ = f.Close() })
		}
		return f, err
	}}
}

// fileFormats are the formats of this file's tests, by the ends of their fixtures.
func fileFormats() map[string]Format {
	return map[string]Format{".mbox": mbox(), ".eml": eml(), ".xlsx": xlsx()}
}

func TestFixturesOfMailsAndWorkbooksGiveTheirGoldens(t *testing.T) {
	t.Parallel()
	files := 0
	for end, f := range fileFormats() {
		found, err := filepath.Glob(filepath.Join("testdata", f.Name, "*"+end))
		if err != nil {
			t.Fatal(err)
		}
		files += len(found)
		for _, file := range found {
			t.Run(filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				name := filepath.Base(file)
				got := listedRecords(f.Open(seekable(name, data)))
				testkit.Golden(t, file+".golden", got)
				if diff := cmp.Diff(got, listedRecords(f.Open(streamed(t, name, data)))); diff != "" {
					t.Errorf("a stream gives other records than a file (-file +stream):\n%s", diff)
				}
				if sure := f.Detect(data[:min(len(data), 64<<10)], name); sure < 30 && len(data) > 0 {
					t.Errorf("the format is only %d sure of its own fixture", sure)
				}
			})
		}
	}
	if files < 12 {
		t.Errorf("%d fixtures: some are missing", files)
	}
}

// maildirFiles is a Maildir with a sub-folder, a reply that is newer than what it answers, and mails that are not delivered yet.
func maildirFiles() fstest.MapFS {
	return fstest.MapFS{
		"cur/1.M1:2,S":            {Data: []byte("From: a@x.example\nSubject: A\nMessage-ID: <a@x>\nDate: Mon, 6 May 2024 10:00:00 +0000\n\nfirst\n")},
		"cur/0.M0:2,RS":           {Data: []byte("From: a@x.example\nSubject: Re: A\nMessage-ID: <c@x>\nIn-Reply-To: <a@x>\n\nagain\n")},
		"new/2.M2":                {Data: []byte("no mail at all")},
		"new/.hidden":             {Data: []byte("From: h@x.example\n\nno\n")},
		".Billing.Old/cur/3.M3":   {Data: []byte("From: b@x.example\r\nSubject: B\r\nX-Keywords: paid, late\r\n\r\nmoney\r\n")},
		"tmp/4.M4":                {Data: []byte("From: c@x.example\nSubject: not delivered yet\n\nno\n")},
		"Sales/1.eml":             {Data: []byte("From: d@x.example\nSubject: D\n\nsales\n")},
		"dovecot.index":           {Data: []byte("\x00\x01")},
		"Sales/deep/er/again.EML": {Data: []byte("From: e@x.example\nSubject: E\n\nmore\n")},
	}
}

func TestFoldersOfMailsGiveTheirGoldens(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]Format{"maildir": maildir(), "eml": eml()} {
		testkit.Golden(t, filepath.Join("testdata", name, "folder.golden"), listedRecords(f.OpenFolder(maildirFiles(), "box")))
	}
}

func TestAFolderThatIsNoneOfMailsIsAnError(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		open func() (Reader, error)
		want string
	}{
		"no Maildir":   {func() (Reader, error) { return maildir().OpenFolder(fstest.MapFS{"a.txt": {}}, "box") }, "reading folder box: a folder with no mail in cur or new"},
		"no .eml":      {func() (Reader, error) { return eml().OpenFolder(fstest.MapFS{"a.txt": {}}, "box") }, "reading folder box: a folder with no .eml"},
		"a file":       {func() (Reader, error) { return maildir().Open(seekable("a.txt", nil)) }, "a Maildir is a folder"},
		"not readable": {func() (Reader, error) { return eml().OpenFolder(brokenFS{}, "box") }, "reading folder box: no permission"},
		"a broken mbox": {func() (Reader, error) {
			return mbox().Open(&Input{Name: "m", Read: iotest.ErrReader(errors.New("disk gone")), At: broken{}, Size: 9})
		}, "reading m: disk gone"},
		"a broken .eml": {func() (Reader, error) {
			return eml().Open(&Input{Name: "m", Read: iotest.ErrReader(errors.New("disk gone"))})
		}, "reading m: disk gone"},
		"no room": {func() (Reader, error) {
			return mbox().Open(&Input{Name: "m", Read: strings.NewReader("From "), Temp: noRoom})
		}, "keeping m: disk full"},
		"no room, Excel": {func() (Reader, error) {
			return xlsx().Open(&Input{Name: "m", Read: strings.NewReader("PK"), Temp: noRoom})
		}, "keeping m: disk full"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := c.open(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

type broken struct{}

func (broken) ReadAt([]byte, int64) (int, error) { return 0, errors.New("disk gone") }

type brokenFS struct{}

func (brokenFS) Open(string) (fs.File, error) { return nil, errors.New("no permission") }

func noRoom() (TempFile, error) { return nil, testkit.ErrFull }

func TestTextIsReadInTheCharsetThatItIsIn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, label, want string }{
		"UTF-8":               {"gr\u00fcn", "UTF-8", "grün"},
		"cp1252 by name":      {"gr\xfcn \x80", "windows-1252", "grün €"},
		"cp1252 without name": {"gr\xfcn \x80", "", "grün €"},
		"cp1252 called UTF-8": {"gr\xfcn \x80 \xe4", "utf-8", "grün € ä"},
		"UTF-8 called Latin":  {"gr\u00fcn", "iso-8859-1", "grün"},
		"a cut letter":        {"grün grün \xc3", "utf-8", "grün grün \ufffd"},
		"an unknown name":     {"abc", "klingon", "abc"},
		"a quoted name":       {"\xe4", `"ISO-8859-1"`, "ä"},
		"Shift JIS":           {"\x83\x8d\x83\x4f", "cp932", "ログ"},
		"escapes, no name":    {"\x1b$B%m%0\x1b(B", "us-ascii", "ログ"},
		"UTF-16 with mark":    {"\xff\xfea\x00\xfc\x00", "utf-16", "aü"},
		"a mark":              {"\ufeffabc", "utf-8", "abc"},
		"GB 2312":             {"\xc4\xe3\xba\xc3", "gb2312", "你好"},
		"replacement":         {"abc", "iso-2022-kr", "abc"},
	} {
		if diff := cmp.Diff(c.want, decodeCharset([]byte(c.in), c.label)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestHeaderWordsAreDecodedAsPeopleMeantThem(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain":                                 "plain",
		"=?utf-8?Q?a_b=20c?= d":                 "a b c d",
		"=?utf-8?B?w?= =?utf-8?B?7w=?=":         "ï",
		"=?utf-8?B?w7w=?=\t=?UTF-8?b?w7w=?=":    "üü",
		"=?iso-8859-1*de?Q?=FC?= x =?x?Q?y?=":   "ü x y",
		"=?utf-8?Q?a?= =?iso-8859-1?Q?=FC?=":    "aü",
		"=?utf-8?X?a?= =?utf-8?Q?a":             "=?utf-8?X?a?= =?utf-8?Q?a",
		"=?utf-8?Q?a=0D=0ABcc:_x?=":             "a  Bcc: x",
		"=?utf-8?Q?it_has blanks and =3d =zz?=": "it has blanks and = =zz",
	} {
		if diff := cmp.Diff(want, decodeWords(in)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", in, diff)
		}
	}
}

func TestAMailWithoutDateHasTheOneOfItsReceipt(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Date: Fri, 3 May 2024 10:11:00 +0200\n":                                                 "2024-05-03T08:11:00Z",
		"Date: Fri, 03 May 2024 10:11:00 +0200 (CEST)\n":                                         "2024-05-03T08:11:00Z",
		"Date: soon\nReceived: from a by b; Fri, 3 May 2024 10:12:00 +0000\nReceived: x; no\n":   "2024-05-03T10:12:00Z",
		"Date: Thu, 1 Jan 1970 00:00:00 +0000\nReceived: by b;\n Fri, 3 May 2024 10:12:00 -0100": "2024-05-03T11:12:00Z",
		"Subject: x\n": "0001-01-01T00:00:00Z",
	} {
		h, _ := cutHeader([]byte(in))
		if got := h.dated().Format("2006-01-02T15:04:05Z07:00"); got != want {
			t.Errorf("%q is dated %s, want %s", in, got, want)
		}
	}
}

func TestAMailOfManyPartsIsReadInBounds(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and the race detector makes it longer")
	}
	deep := "From: a@x.example\n"
	for i := range 5000 {
		deep += fmt.Sprintf("Content-Type: multipart/mixed; boundary=b%d\n\n--b%[1]d\n", i)
	}
	wide := "From: a@x.example\nContent-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b\nContent-Type: image/png\n\nx\n", 200_000)
	long := "From: a@x.example\nSubject: " + strings.Repeat("=?utf-8?Q?a?= ", 100_000) + "\n\n" + strings.Repeat("= ", 1<<20)
	for name, text := range map[string]string{"deep": deep, "wide": wide, "long": long} {
		rec, problem := mailRecord(1, []byte(text), nil)
		if problem != nil || len(rec.Fields) == 0 {
			t.Errorf("%s: %v", name, problem)
		}
	}
	huge := "From a Mon May  6 10:00:00 2024\nFrom: a@x.example\nSubject: big\n\n" + strings.Repeat("0123456789abcde\n", maxMail/16+10) + "\nFrom b Mon May  6 10:00:00 2024\nSubject: next\n\nx\n"
	out := listedRecords(mbox().Open(seekable("m", []byte(huge))))
	if strings.Count(out, "subject: ") != 2 || len(out) > 2*maxMail {
		t.Errorf("a mail over the bound gives %d bytes and %d records, want 2", len(out), strings.Count(out, "subject: "))
	}
}
