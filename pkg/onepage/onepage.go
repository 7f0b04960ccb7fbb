// Package onepage joins the sources of a page that is one document: its style, its script and the Content-Security-Policy that allows
// these two and nothing else. It holds the functions of the scripts that such pages share, and no page of its own. Start at [Read].
package onepage

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"io/fs"
	"strings"
)

// dom begins every script: functions that make elements.
//
//go:embed dom.js
var dom string

// Sources are the two texts of a page's document, as they stand between their tags.
type Sources struct {
	Style, Script string
}

// Read joins files of the folder page in their order. The scripts share one function's scope with those of dom.js, which come first and
// read the JSON of the element with the id settings. An error is that of a file that is not there.
func Read(files fs.FS, styles, scripts []string) (Sources, error) {
	style, err := join(files, styles)
	if err != nil {
		return Sources{}, err
	}
	script, err := join(files, scripts)
	if err != nil {
		return Sources{}, err
	}
	return Sources{Style: style, Script: "(() => {\n\"use strict\";\n" + dom + script + "})();\n"}, nil
}

func join(files fs.FS, names []string) (string, error) {
	var b strings.Builder
	for _, name := range names {
		data, err := fs.ReadFile(files, "page/"+name)
		if err != nil {
			return "", err
		}
		b.Write(data)
	}
	return b.String(), nil
}

// Policy is the Content-Security-Policy: the page's own style and script by their hashes, nothing from elsewhere, no way to make markup
// out of text, and what more allows ("connect-src 'self'").
func (s Sources) Policy(more ...string) string {
	parts := append([]string{"default-src 'none'", "script-src " + hashOf(s.Script), "style-src " + hashOf(s.Style), "img-src data:"}, more...)
	return strings.Join(append(parts, "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"), "; ")
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
