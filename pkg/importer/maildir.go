package importer

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// maildir reads a folder of mails, a file each, as servers keep them: those in cur and new, and in the same of its sub-folders
// (.Billing, or Billing/cur). The first mail of each thread is a ticket.
func maildir() Format {
	return Format{
		Name: "maildir", Title: "Maildir", Column: mailColumn,
		Detect: func([]byte, string) int { return 0 },
		Open: func(in *Input) (Reader, error) {
			return nil, fmt.Errorf("reading %s: a Maildir is a folder with cur and new in it, and this is a file", in.Name)
		},
		OpenFolder: func(folder fs.FS, name string) (Reader, error) {
			return openMails(folder, name, inMaildir, "a folder with no mail in cur or new: it is no Maildir, or it is empty")
		},
	}
}

func inMaildir(file string) bool {
	dir := path.Base(path.Dir(file))
	return (dir == "cur" || dir == "new") && !strings.HasPrefix(path.Base(file), ".")
}

// openMails reads the mails in a folder that are wanted, in the order of their paths. None is an error, which says why.
func openMails(folder fs.FS, name string, wanted func(string) bool, why string) (Reader, error) {
	r := &folderReader{folder: folder, name: name, known: mailIDs{}}
	err := fs.WalkDir(folder, ".", func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && wanted(file) {
			r.files = append(r.files, file)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading folder %s: %w", name, err)
	}
	if len(r.files) == 0 {
		return nil, fmt.Errorf("reading folder %s: %s", name, why)
	}
	slices.Sort(r.files)
	for _, file := range r.files {
		data, err := r.read(file, maxHeader)
		if err != nil {
			return nil, err
		}
		h, _ := cutHeader(withoutFrom(data))
		r.known.add(mailID(h))
	}
	return r, nil
}

// folderReader gives the records of the mails in a folder.
type folderReader struct {
	ownHeaders
	folder fs.FS
	name   string
	files  []string
	next   int
	known  mailIDs
}

// Next gives the next ticket. Its line is the position of its file in the order of their paths; errors name the file.
func (r *folderReader) Next() (*Record, error) {
	if r.next == len(r.files) {
		return nil, io.EOF
	}
	file := r.files[r.next]
	r.next++
	data, err := r.read(file, maxMail)
	if err != nil {
		return nil, err
	}
	rec, problem := mailRecord(r.next, withoutFrom(data), r.known, r.names...)
	if problem != nil {
		problem.Detail = strings.TrimSuffix(file+": "+problem.Detail, ": ")
		return nil, problem
	}
	rec.Fields = append(rec.Fields, Field{"folder", mailFolder(file)})
	return rec, nil
}

// read gives the beginning of a file, at most so many bytes. A file that went away since it was listed is empty.
func (r *folderReader) read(file string, most int64) (data []byte, err error) {
	f, err := r.folder.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading folder %s: %w", r.name, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if data, err = io.ReadAll(io.LimitReader(f, most)); err != nil {
		return nil, fmt.Errorf("reading folder %s: %s: %w", r.name, file, err)
	}
	return data, nil
}

// mailFolder gives the name of the sub-folder that a mail is filed in: Billing of .Billing/cur/1 and of Billing/1.eml.
func mailFolder(file string) string {
	dir := path.Dir(file)
	if base := path.Base(dir); base == "cur" || base == "new" {
		dir = path.Dir(dir)
	}
	return strings.TrimPrefix(strings.TrimPrefix(dir, "."), "/")
}
