package importer

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
)

// detect finds the format of a file that begins with head, and how sure that is, 0 to 100; the format has no name where it is 0.
func detect(formats []Format, head []byte, name string) (best Format, sure int) {
	name = strings.TrimSuffix(name, ".gz")
	for _, f := range formats {
		if f.Detect == nil {
			continue
		}
		if n := f.Detect(head, name); n > sure {
			best, sure = f, n
		}
	}
	return best, sure
}

// unrecognised is the error of a file whose format was not found.
func unrecognised(head []byte, name string) error {
	if isBinary(head) {
		return fmt.Errorf("%s: it is no text and of no format that is read; the formats are %s", name, strings.Join(FormatNames(), ", "))
	}
	const most = 60
	begin := strings.ToValidUTF8(string(head[:min(len(head), most)]), "?")
	return fmt.Errorf("%s: its format was not recognised: it begins with %q; say it with --from, which takes %s", name, begin, strings.Join(FormatNames(), ", "))
}

// isBinary tells whether bytes are other than text. UTF-16 with a byte order mark is text.
func isBinary(head []byte) bool {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return false
	}
	return bytes.IndexByte(head, 0) >= 0
}

// folderFormat finds the format of a folder: a Maildir has messages below cur or new.
func folderFormat(formats []Format, folder fs.FS, name string) (Format, error) {
	maildir := false
	for _, dir := range []string{"cur", "new"} {
		if info, err := fs.Stat(folder, dir); err == nil && info.IsDir() {
			maildir = true
		}
	}
	for _, f := range formats {
		if maildir && f.OpenFolder != nil {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf("%s is a folder, but no Maildir (which has a folder cur or new in it): name the files to import", name)
}
