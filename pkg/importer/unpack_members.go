package importer

import "archive/zip"

// best tells which format the files of an archive have: that of the file that is surest. Files of another format that lie beside
// them, such as a list of users, are no tickets.
func (u *unpacker) best(s stream, files []*zip.File) string {
	before := *u.meter
	defer func() { // looking at beginnings does not count
		u.meter.read, u.meter.unpacked = before.read, before.unpacked
	}()
	sure, name := 0, ""
	look := &unpacker{meter: u.meter, temp: u.temp, want: "?", skip: func(string, string) {}}
	look.visit = func(p *part) error {
		if f, n := detect(u.formats, p.head, p.in.Name); n > sure {
			sure, name = n, f.Name
		}
		return nil
	}
	for _, f := range files {
		u.meter.unpacked = 0
		_ = look.zipMember(s, f) // what is wrong with it is said when it is read
	}
	return name
}
