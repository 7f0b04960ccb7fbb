package openenv

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"slices"
	"sync"
)

//go:embed docs/index.html docs/style.css docs/schema.js docs/try.js docs/page.js
var docsFiles embed.FS

// docsPage is the page of /docs with the policy that it keeps to.
type docsPage struct {
	html                  []byte
	style, script, policy string
}

var docs = sync.OnceValue(func() docsPage {
	read := func(names ...string) []byte {
		var out []byte
		for _, name := range names {
			text, err := docsFiles.ReadFile("docs/" + name)
			if err != nil {
				panic("docs page: " + err.Error()) // it is embedded
			}
			out = append(append(out, '\n'), text...)
		}
		return out
	}
	style, script := read("style.css"), append([]byte("'use strict';"), read("schema.js", "try.js", "page.js")...)
	html := bytes.Replace(bytes.TrimSpace(read("index.html")), []byte("{{style}}"), style, 1)
	html = bytes.Replace(html, []byte("{{script}}"), script, 1)
	p := docsPage{html: append(html, '\n'), style: digest(style), script: digest(script)}
	p.policy = "default-src 'none'; script-src " + p.script + "; style-src " + p.style +
		"; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	return p
})

// digest is the source expression that allows an inline text.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// DocsHTML gives the page of /docs and /redoc: it reads openapi.json beside it, shows operations, parameters and schemas, and
// sends requests. It asks nothing of any other host.
func DocsHTML() []byte { return slices.Clone(docs().html) }

// DocsPolicy gives the Content-Security-Policy of that page: it allows the page's own script and style, by their hashes, and
// requests to its own server.
func DocsPolicy() string { return docs().policy }
