package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licensesPage lists the licences, from the repository's root.
const licensesPage = "docs/licenses.md"

// dependency is a module that is part of the program.
type dependency struct {
	path, version, dir string
}

// modules are those that are compiled into the program, on any of the platforms of a release, by their paths.
func modules(root string) ([]dependency, error) {
	seen := map[string]dependency{}
	for _, platform := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", "./cmd/triage")
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOOS="+platform, "GOARCH=amd64", "CGO_ENABLED=0")
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w: %s", platform, err, errs.String())
		}
		for line := range strings.Lines(string(out)) {
			if parts := strings.Split(strings.TrimSpace(line), "\t"); len(parts) == 3 {
				seen[parts[0]] = dependency{path: parts[0], version: parts[1], dir: parts[2]}
			}
		}
	}
	list := make([]dependency, 0, len(seen))
	for _, d := range seen {
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b dependency) int { return strings.Compare(a.path, b.path) })
	return list, nil
}

// licenses gives the page of the modules' licences.
func licenses(root string) ([]byte, error) {
	list, err := modules(root)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("# Licences of what is in the program\n\nMade by `go run ./docs/gen` from the modules that are compiled into `triage`; a test holds it against them. The program itself is under the MIT\nlicence (`LICENSE`), the standard library of Go under BSD-3-Clause. Their texts are in each release and image (`THIRD_PARTY_LICENSES.txt`).\n\n| module | version | licence |\n|---|---|---|\n")
	for _, d := range list {
		license, err := licenseOf(d.dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.path, err)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", d.path, d.version, license)
	}
	return b.Bytes(), nil
}

// licenseTexts gives the texts of the licences and notices of Go and of the modules, which go with a binary.
func licenseTexts(root string) ([]byte, error) {
	list, err := modules(root)
	if err != nil {
		return nil, err
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	list = append([]dependency{{path: "The Go standard library and runtime", dir: strings.TrimSpace(string(goroot))}}, list...)
	var b bytes.Buffer
	for _, d := range list {
		texts, err := licenseFiles(d.dir, "LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS")
		if err != nil || len(texts) == 0 {
			return nil, fmt.Errorf("%s: %d licences: %w", d.path, len(texts), err)
		}
		for _, text := range texts {
			fmt.Fprintf(&b, "%s\n%s %s\n\n%s\n\n", strings.Repeat("=", 80), d.path, d.version, bytes.TrimSpace(text))
		}
	}
	return b.Bytes(), nil
}

// licenseFiles reads the files of a folder whose names begin with one of the words, in any case, in the order of their names.
func licenseFiles(dir string, words ...string) (out [][]byte, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		begins := func(word string) bool { return strings.HasPrefix(strings.ToUpper(e.Name()), word) }
		if e.IsDir() || !slices.ContainsFunc(words, begins) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		out = append(out, data)
	}
	return out, nil
}

// marks tell licences by what they say, the more special first.
var marks = []struct{ name, says string }{
	{"Apache-2.0", `Apache License\s+Version 2\.0`},
	{"MPL-2.0", `Mozilla Public License,? (Version|version) 2\.0`},
	{"BSD-3-Clause", `(?s)Redistribution and use in source and binary forms.*(Neither the name|nor the names of|names? of (its|the) contributors)`},
	{"BSD-2-Clause", `Redistribution and use in source and binary forms`},
	{"ISC", `Permission to use, copy, modify,? (and|and/or) distribute this software for any\s+purpose with(out)? (or without )?fee`},
	{"MIT", `Permission is hereby granted, free of charge`},
}

// licenseOf reads the licence of a module's folder. Several that apply to parts of it are joined by "and".
func licenseOf(dir string) (string, error) {
	texts, err := licenseFiles(dir, "LICENSE", "LICENCE", "COPYING")
	if err != nil {
		return "", err
	}
	for _, data := range texts {
		var found []string
		for _, m := range marks {
			if regexp.MustCompile(m.says).Match(data) && (m.name != "BSD-2-Clause" || !slices.Contains(found, "BSD-3-Clause")) {
				found = append(found, m.name)
			}
		}
		if len(found) > 0 {
			return strings.Join(found, " and "), nil
		}
	}
	return "", fmt.Errorf("no licence that is known in %d files", len(texts))
}
