package wire

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// cut gives a text in one line of at most n bytes, without what cannot be printed, and with … where it was longer.
func cut(s string, n int) string {
	var out strings.Builder
	space := false
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		s = s[size:]
		if unicode.IsSpace(r) || !unicode.IsPrint(r) || r == utf8.RuneError && size == 1 {
			space = out.Len() > 0
			continue
		}
		if out.Len()+size+1 > n {
			out.WriteString("…")
			break
		}
		if space {
			out.WriteByte(' ')
			space = false
		}
		out.WriteRune(r)
	}
	return out.String()
}

// htmlText gives what a page of HTML says, at most 4 KiB of it read, without tags, scripts and styles.
func htmlText(page string) string {
	page = page[:min(len(page), 4096)]
	low := strings.ToLower(page)
	if len(low) != len(page) {
		// Lower case is longer or shorter in some alphabets: then tags must be in lower case to be known.
		low = page
	}
	var out strings.Builder
	for i := 0; i < len(page); {
		if page[i] != '<' {
			out.WriteByte(page[i])
			i++
			continue
		}
		closing := ">"
		for _, tag := range []string{"script", "style"} {
			if strings.HasPrefix(low[i+1:], tag) {
				closing = "</" + tag + ">"
			}
		}
		if strings.HasPrefix(page[i:], "<!--") {
			closing = "-->"
		}
		end := strings.Index(low[i:], closing)
		if end < 0 {
			break
		}
		out.WriteByte(' ')
		i += end + len(closing)
	}
	return out.String()
}
