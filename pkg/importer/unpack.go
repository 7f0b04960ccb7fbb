package importer

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// headBytes is how much of a file is looked at to find its format.
const headBytes = 64 << 10

// maxWrappings is how many wrappings, such as a gz file in a zip file, are taken off.
const maxWrappings = 3

// part is one file, unpacked.
type part struct {
	in     *Input
	head   []byte
	folder fs.FS // set for a folder
	// member says that it stands in an archive among others, whose format is want.
	member bool
	want   string
}

// unpacker takes the wrappings off a source.
type unpacker struct {
	meter   *meter
	temp    func() (TempFile, error)
	formats []Format
	// visit is called with each file, in the order of the archive.
	visit func(p *part) error
	// skip is told of files of an archive that cannot have tickets.
	skip func(name, why string)
	want string // the format of the files of the archive
}

// stream is a file on its way through the wrappings.
type stream struct {
	name   string
	r      io.Reader
	at     io.ReaderAt // nil where it can be read only once
	size   int64
	depth  int
	member bool
}

// foreign lists the beginnings of files that are not read, with what to do.
var foreign = []struct {
	at          int
	magic, what string
}{
	{0, "\x28\xb5\x2f\xfd", "it is packed with zstd: unpack it first"},
	{0, "BZh", "it is packed with bzip2: unpack it first"},
	{0, "\xfd7zXZ\x00", "it is packed with xz: unpack it first"},
	{0, "7z\xbc\xaf\x27\x1c", "it is a 7z archive: unpack it first, or pack it as zip"},
	{0, "Rar!\x1a\x07", "it is a RAR archive: unpack it first, or pack it as zip"},
	{257, "ustar", "it is a tar archive: unpack it first, or pack it as zip"},
	{0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "it is a workbook or a message in Microsoft's older form: save it as .xlsx, CSV or .eml"},
	{0, "PAR1", "it is Parquet, which is not read: write it as CSV or JSON Lines"},
	{0, "%PDF-", "it is a PDF file: export the tickets as CSV or JSON"},
	{0, `{"schema":"` + SchemaTickets + `"`, "it is a file of tickets already, which import wrote: triage run --tickets plays it"},
	{0, "SQLite format 3\x00", "it is a database of SQLite: export the tickets as CSV or JSON"},
}

// file looks at what a stream is and goes on with what is in it.
func (u *unpacker) file(s stream) error {
	buf := bufio.NewReaderSize(s.r, headBytes)
	head, err := buf.Peek(headBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read %s: %w", s.name, err)
	}
	if len(head) == 0 {
		return u.refuse(s, "the file is empty")
	}
	if s.depth > maxWrappings {
		return fmt.Errorf("%s: it is an archive in an archive, more than %d deep: unpack it first", s.name, maxWrappings)
	}
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return u.gzip(s, buf)
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return u.zip(s, buf, head)
	}
	for _, f := range foreign {
		if len(head) > f.at && bytes.HasPrefix(head[f.at:], []byte(f.magic)) {
			return u.refuse(s, f.what)
		}
	}
	return u.visit(&part{in: &Input{Name: s.name, Read: buf, At: s.at, Size: s.size, Temp: u.temp}, head: head, member: s.member, want: u.want})
}

// refuse is an error about a file, unless it lies in an archive, where other files may have the tickets.
func (u *unpacker) refuse(s stream, why string) error {
	if s.member {
		u.skip(s.name, why)
		return nil
	}
	return fmt.Errorf("%s: %s", s.name, why)
}

// gzip unpacks a gz file, which may hold several one after the other.
func (u *unpacker) gzip(s stream, r io.Reader) error {
	z, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, gzipProblem(err))
	}
	err = u.file(stream{name: s.name, r: &unpacked{r: z, m: u.meter, problem: gzipProblem}, depth: s.depth + 1, member: s.member})
	_ = z.Close() // opened for reading
	return err
}

func gzipProblem(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the gz file is cut off: it ends in the middle")
	}
	return fmt.Errorf("the gz file is damaged: %w", err)
}

// zip goes through an archive, unless it is a workbook, which is one file.
func (u *unpacker) zip(s stream, r io.Reader, head []byte) error {
	if s.at == nil {
		var err error
		if s.at, s.size, err = u.keep(r); err != nil {
			return fmt.Errorf("keep %s in a temporary file: %w", s.name, err)
		}
	}
	z, err := zip.NewReader(s.at, s.size)
	if err != nil {
		return fmt.Errorf("%s: the zip file cannot be read: %w", s.name, zipProblem(err))
	}
	if len(z.File) > u.meter.limits.Members {
		return fmt.Errorf("%s: it holds %d files: at most %d are read", s.name, len(z.File), u.meter.limits.Members)
	}
	if isWorkbook(z) {
		in := &Input{Name: s.name, Read: io.NewSectionReader(s.at, 0, s.size), At: s.at, Size: s.size, Temp: u.temp}
		return u.visit(&part{in: in, head: head, member: s.member, want: u.want})
	}
	files := slices.DeleteFunc(slices.Clone(z.File), func(f *zip.File) bool { return !worthReading(f) })
	if len(files) == 0 {
		return u.refuse(s, "the zip file holds no file that could have tickets")
	}
	if u.want == "" {
		u.want = u.best(s, files)
	}
	for _, f := range files {
		if err := u.zipMember(s, f); err != nil {
			return err
		}
	}
	return nil
}

func (u *unpacker) zipMember(s stream, f *zip.File) error {
	name := s.name + "/" + f.Name
	if f.Flags&1 != 0 {
		return fmt.Errorf("%s: it is encrypted: unpack the archive with its password first", name)
	}
	r, err := f.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", name, zipProblem(err))
	}
	err = u.file(stream{name: name, r: &unpacked{r: r, m: u.meter, problem: zipProblem}, depth: s.depth + 1, member: true})
	_ = r.Close() // opened for reading
	return err
}

func zipProblem(err error) error {
	switch {
	case errors.Is(err, zip.ErrAlgorithm):
		return errors.New("it is packed in a way that is not read: pack it again, with deflate")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the zip file is cut off: it ends in the middle")
	case errors.Is(err, zip.ErrFormat):
		return errors.New("it is damaged or cut off (it has no directory at its end)")
	}
	return fmt.Errorf("the zip file is damaged: %w", err)
}

// isWorkbook tells whether an archive is an Excel workbook.
func isWorkbook(z *zip.Reader) bool {
	for _, f := range z.File {
		if strings.EqualFold(f.Name, "xl/workbook.xml") {
			return true
		}
	}
	return false
}

// worthReading tells whether a member could have tickets: a file that has bytes and was not put there by a file manager.
func worthReading(f *zip.File) bool {
	if f.FileInfo().IsDir() || f.UncompressedSize64 == 0 || strings.HasPrefix(f.Name, "__MACOSX/") {
		return false
	}
	base := path.Base(f.Name)
	return !strings.HasPrefix(base, ".") && !strings.EqualFold(base, "thumbs.db") && !strings.EqualFold(base, "desktop.ini")
}

// keep puts a stream into a temporary file, so that one can jump in it.
func (u *unpacker) keep(r io.Reader) (io.ReaderAt, int64, error) {
	f, err := u.temp()
	if err != nil {
		return nil, 0, err
	}
	n, err := io.Copy(f, r)
	return f, n, err
}

// unpacked is what comes out of an archive, within its limits.
type unpacked struct {
	r       io.Reader
	m       *meter
	problem func(error) error
}

// Read reads, and stops a bomb.
func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	u.m.unpacked += int64(n)
	l := u.m.limits
	switch {
	case u.m.unpacked > l.Total:
		return n, fmt.Errorf("the archive becomes more than %s: unpack it first if that is right", bytesText(l.Total))
	case u.m.unpacked > l.Free && u.m.unpacked > l.Ratio*u.m.packed():
		return n, fmt.Errorf("the archive grows more than %d-fold (%s became %s), as an archive made to fill a disk does: unpack it first if that is right",
			l.Ratio, bytesText(u.m.packed()), bytesText(u.m.unpacked))
	case err != nil && !errors.Is(err, io.EOF):
		return n, u.problem(err)
	}
	return n, err
}

// bytesText writes a number of bytes for people.
func bytesText(n int64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
