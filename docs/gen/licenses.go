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
	path, version, license string
}

// licenses gives the page of the modules that are compiled into the program, on any of the platforms of a release.
func licenses(root string) ([]byte, error) {
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
			parts := strings.Split(strings.TrimSpace(line), "\t")
			if len(parts) != 3 || seen[parts[0]].path != "" {
				continue
			}
			license, err := licenseOf(parts[2])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", parts[0], err)
			}
			seen[parts[0]] = dependency{parts[0], parts[1], license}
		}
	}
	list := make([]dependency, 0, len(seen))
	for _, d := range seen {
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b dependency) int { return strings.Compare(a.path, b.path) })
	var b bytes.Buffer
	b.WriteString("# Licences of what is in the program\n\nMade by `go run ./docs/gen` from the modules that are compiled into `triage`; a test holds it against them. The program itself is under the MIT\nlicence (`LICENSE`), the standard library of Go under BSD-3-Clause.\n\n| module | version | licence |\n|---|---|---|\n")
	for _, d := range list {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", d.path, d.version, d.license)
	}
	return b.Bytes(), nil
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
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.IsDir() || !strings.HasPrefix(name, "LICENSE") && !strings.HasPrefix(name, "LICENCE") && !strings.HasPrefix(name, "COPYING") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
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
	return "", fmt.Errorf("no licence that is known in %d files", len(entries))
}
