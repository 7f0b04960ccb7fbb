package importer

// short gives the beginning of a month's or weekday's name by which it is known: 3 letters, or 4 where 3 do not tell.
func short(name string) string {
	for _, n := range []int{4, 3} {
		cut, i := "", 0
		for _, r := range name {
			if i == n {
				break
			}
			cut += string(r)
			i++
		}
		if _, ok := months[cut]; ok || weekdays[cut] {
			return cut
		}
	}
	return ""
}

// months are the beginnings of months' names in English, German, French and Spanish.
var months = map[string]int{
	"jan": 1, "jän": 1, "ene": 1, "feb": 2, "fév": 2, "fev": 2, "mar": 3, "mär": 3, "mrz": 3, "mae": 3, "apr": 4, "avr": 4, "abr": 4,
	"may": 5, "mai": 5, "jun": 6, "juin": 6, "jul": 7, "juil": 7, "aug": 8, "aoû": 8, "aou": 8, "ago": 8, "sep": 9, "oct": 10, "okt": 10,
	"nov": 11, "dec": 12, "dez": 12, "déc": 12, "dic": 12,
}

// weekdays are those of weekdays in English, which mails write.
var weekdays = map[string]bool{"mon": true, "tue": true, "wed": true, "thu": true, "fri": true, "sat": true, "sun": true}

// zones are the zones that RFC 2822, section 4.3 names, in hours east of UTC, and those of Central Europe.
var zones = map[string]int{"z": 0, "utc": 0, "gmt": 0, "ut": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6,
	"pst": -8, "pdt": -7, "cet": 1, "cest": 2}
