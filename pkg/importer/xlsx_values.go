package importer

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/triagebench/triage/pkg/lazyregexp"
)

// numberStyle is how a number is shown, as far as that says what it is.
type numberStyle struct {
	kind numberKind
	pad  int // digits that a whole number has at least: 00042
}

type numberKind int

const (
	plainNumber numberKind = iota
	dateNumber
	clockNumber   // a time of day
	elapsedNumber // hours that may be more than a day's
)

// formatNoise is what a format's code shows as it is: texts in quotes, escaped characters, colours and conditions in brackets. What
// Excel calls elapsed time ([h]) is not among it.
var (
	formatNoise   = lazyregexp.New(`"[^"]*"|\\.|_.|\*.|\[[^\]]{3,}\]`)
	formatElapsed = lazyregexp.New(`(?i)\[(?:h+|m+|s+)\]`)
	formatPad     = lazyregexp.New(`^0{2,20}$`)
)

// styleOf reads a format: by its number, which means the same in all files below 164 (ECMA-376, part 1, 18.8.30), or by its code.
func styleOf(id int, code string) numberStyle {
	switch {
	case id == 18 || id == 19 || id == 20 || id == 21 || id == 45 || id == 47:
		return numberStyle{kind: clockNumber}
	case id == 46:
		return numberStyle{kind: elapsedNumber}
	case id >= 14 && id <= 22, id >= 27 && id <= 36, id >= 50 && id <= 58:
		return numberStyle{kind: dateNumber}
	}
	code, _, _ = strings.Cut(code, ";")
	if formatElapsed.MatchString(code) {
		return numberStyle{kind: elapsedNumber}
	}
	code = strings.ToLower(formatNoise.ReplaceAllString(code, ""))
	switch {
	case formatPad.MatchString(code):
		return numberStyle{pad: len(code)}
	case strings.Contains(code, "general") || strings.ContainsAny(code, "#?"):
		return numberStyle{}
	case strings.ContainsAny(code, "yd"):
		return numberStyle{kind: dateNumber}
	case strings.ContainsAny(code, "hs"):
		return numberStyle{kind: clockNumber}
	case strings.Contains(code, "m"):
		return numberStyle{kind: dateNumber}
	}
	return numberStyle{}
}

// number gives a number as people read it: dates as 2024-01-31 or 2024-01-31 09:12:00, and whole numbers with all their digits.
func (b *workbook) number(raw string, style numberStyle) string {
	v, err := strconv.ParseFloat(raw, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return raw
	}
	switch style.kind {
	case dateNumber:
		if s, ok := b.date(v); ok {
			return s
		}
	case clockNumber, elapsedNumber:
		if v >= 0 && v < 1e6 {
			s := int64(math.Round(v * 86400))
			if v >= 1 && style.kind == clockNumber {
				if s, ok := b.date(v); ok {
					return s
				}
			}
			return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
		}
	case plainNumber:
	}
	if math.Abs(v) >= 1e21 || v != 0 && math.Abs(v) < 1e-9 {
		return raw
	}
	text := strconv.FormatFloat(v, 'f', -1, 64)
	// A file may have more digits than a float keeps.
	if digits := strings.TrimLeft(strings.TrimPrefix(raw, "-"), "0123456789"); digits == "" {
		text = raw
	}
	if v >= 0 && v == math.Trunc(v) && len(text) < style.pad {
		text = strings.Repeat("0", style.pad-len(text)) + text
	}
	return text
}

// date gives the date of a day's number, if there is one. Excel's 1900 was a leap year, which shifts the days before March.
func (b *workbook) date(v float64) (string, bool) {
	if v < 0 || v >= 2_958_466 {
		return "", false
	}
	day := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case b.date1904:
		day = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case v < 60:
		day = day.AddDate(0, 0, 1)
	}
	seconds := int64(math.Round((v - math.Floor(v)) * 86400))
	at := day.AddDate(0, 0, int(math.Floor(v))).Add(time.Duration(seconds) * time.Second)
	if seconds == 0 {
		return at.Format(time.DateOnly), true
	}
	return at.Format(time.DateTime), true
}

// escapedRune is how Excel writes a character that XML cannot have.
var escapedRune = lazyregexp.New(`_x[0-9A-Fa-f]{4}_`)

// cellText undoes Excel's escapes and makes line ends line feeds.
func cellText(s string) string {
	if strings.Contains(s, "_x") {
		s = escapedRune.ReplaceAllStringFunc(s, func(e string) string {
			n, err := strconv.ParseUint(e[2:6], 16, 32)
			if err != nil || !utf8.ValidRune(rune(n)) {
				return e
			}
			return string(rune(n))
		})
	}
	return unixLines(s)
}
