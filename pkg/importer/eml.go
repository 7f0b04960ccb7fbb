package importer

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// eml reads one mail in a file, or a folder (or an archive of zip as one) with such files in it and in its folders.
func eml() Format {
	return Format{
		Name: "eml", Title: "mail (.eml)", Column: mailColumn, Open: openEML,
		Detect: func(head []byte, name string) int {
			named := strings.HasSuffix(strings.ToLower(name), ".eml")
			switch {
			case mailHead(head) && named:
				return 95
			case mailHead(head):
				return 70
			case named && len(head) > 0:
				return 30
			}
			return 0
		},
		OpenFolder: func(folder fs.FS, name string) (Reader, error) {
			return openMails(folder, name, func(file string) bool { return strings.HasSuffix(strings.ToLower(file), ".eml") },
				"a folder with no .eml file in it")
		},
	}
}

func openEML(in *Input) (Reader, error) {
	// One byte more than is read of a mail would tell that there is more, which is left out all the same.
	data, err := io.ReadAll(io.LimitReader(in.Read, maxMail))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", in.Name, err)
	}
	return &emlReader{data: data, folder: folderOf(in.Name)}, nil
}

// emlReader gives the record of one mail.
type emlReader struct {
	ownHeaders
	data   []byte
	folder string
	done   bool
}

// Next gives the mail.
func (r *emlReader) Next() (*Record, error) {
	if r.done {
		return nil, io.EOF
	}
	r.done = true
	rec, problem := mailRecord(1, withoutFrom(r.data), nil, r.names...)
	if problem != nil {
		return nil, problem
	}
	rec.Fields = append(rec.Fields, Field{"folder", r.folder})
	return rec, nil
}

// withoutFrom takes a byte order mark and the "From " line of a mbox from the beginning of a mail.
func withoutFrom(data []byte) []byte {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if bytes.HasPrefix(data, []byte("From ")) {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	return data
}

// folderOf gives the name of the folder that a file is in; nothing where that is not said.
func folderOf(name string) string {
	name = path.Base(path.Dir(strings.ReplaceAll(name, `\`, "/")))
	if name == "." || name == "/" || name == ".." {
		return ""
	}
	return name
}
