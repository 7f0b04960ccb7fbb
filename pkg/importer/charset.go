package importer

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"github.com/triagebench/triage/pkg/lazyregexp"
)

// decodeCharset gives text in a charset that a mail names as UTF-8. Names are often wrong or unknown: bytes that are UTF-8 with more
// than ASCII in them are UTF-8 whatever they are called, unless the name is that of a charset of several bytes; ISO-2022-JP is known
// by its escapes; all else is Windows-1252, which has a letter for nearly every byte.
func decodeCharset(text []byte, label string) string {
	label = strings.ToLower(strings.Trim(strings.TrimSpace(label), `"'`))
	e := charsetOf(label)
	switch {
	case e == nil && (bytes.Contains(text, []byte("\x1b$B")) || bytes.Contains(text, []byte("\x1b$@"))):
		e = japanese.ISO2022JP
	case e == nil || isSingleByte(e):
		if rest, ok := bytes.CutPrefix(text, []byte("\ufeff")); ok {
			text = rest
		}
		if utf8.Valid(text) {
			return string(text)
		}
		if e == nil && mostlyUTF8(text) {
			return strings.ToValidUTF8(string(text), "\ufffd")
		}
		if e == nil {
			e = charmap.Windows1252
		}
	}
	out, err := e.NewDecoder().Bytes(text)
	if err != nil {
		return strings.ToValidUTF8(string(text), "\ufffd")
	}
	return strings.TrimPrefix(string(out), "\ufeff")
}

// charsetOf gives the charset of a name; nil for UTF-8, for ASCII, which other charsets pass for, and for names that nobody knows.
func charsetOf(label string) encoding.Encoding {
	switch label {
	case "", "utf-8", "utf8", "us-ascii", "ascii", "ansi_x3.4-1968", "unknown-8bit", "x-unknown", "default":
		return nil
	case "utf-16":
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case "cp850", "ibm850":
		return charmap.CodePage850
	case "cp437", "ibm437":
		return charmap.CodePage437
	case "cp932":
		label = "shift_jis"
	case "cp936":
		label = "gbk"
	case "cp949":
		label = "euc-kr"
	}
	e, err := htmlindex.Get(label)
	if err != nil || e == unicode.UTF8 || e == encoding.Replacement {
		return nil
	}
	return e
}

func isSingleByte(e encoding.Encoding) bool {
	_, ok := e.(*charmap.Charmap)
	return ok
}

// mostlyUTF8 tells whether a text that is not UTF-8 is so only by a few bytes: a letter that was cut, a stray byte.
func mostlyUTF8(text []byte) bool {
	good, bad := 0, 0
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			bad++
		case n > 1:
			good++
		}
		text = text[n:]
	}
	return good > bad
}

// metaCharset finds the charset that HTML names itself.
var metaCharset = lazyregexp.New(`(?i)<meta[^>]{1,200}charset\s*=\s*["']?([A-Za-z0-9_.:-]{2,40})`)

// charsetOfHTML gives the charset that HTML says it is in; nothing where it does not.
func charsetOfHTML(text []byte) string {
	if m := metaCharset.FindSubmatch(text[:min(len(text), 2048)]); m != nil {
		return string(m[1])
	}
	return ""
}
