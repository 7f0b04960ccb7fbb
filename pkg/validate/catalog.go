package validate

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/triagebench/triage/pkg/lazyregexp"
	"github.com/triagebench/triage/pkg/triage"
)

// The rules of the catalog that lists environments of a repository.
const (
	catalogRoot    = "envs"
	discoveryFile  = "discovery.json"
	maxCatalogFile = 1 << 20
	maxField       = 8192 // characters
	maxTools       = 256
	maxNested      = 500
)

// controls are names that no tool of an agent may have.
var controls = []string{"reset", "step", "state", "get_state"}

// checkCatalog looks at the entry of every environment below envs/.
func checkCatalog(root fs.FS) []triage.Check {
	entries, err := fs.ReadDir(root, catalogRoot)
	var out []triage.Check
	for _, e := range entries {
		dir := path.Join(catalogRoot, e.Name())
		if _, err := fs.Stat(root, path.Join(dir, manifestFile)); err != nil {
			continue
		}
		c := newClaim("catalog/"+e.Name(), "the entry of "+dir+" in a catalog", "a name, a description, and a declaration of the catalog's form")
		entry := catalogEntry{root: root, dir: dir, c: c}
		out = append(out, c.done("%s", entry.read()))
	}
	if len(out) == 0 {
		c := newClaim("catalog", "the entries of envs/ in a catalog", "a name, a description, and a declaration of the catalog's form")
		why := "there is no envs/*/openenv.yaml"
		if err == nil && len(entries) > 0 {
			why = "no folder of envs/ has an openenv.yaml"
		}
		out = append(out, c.skipped("%s", why))
	}
	return out
}

// catalogEntry is an environment as a catalog would list it.
type catalogEntry struct {
	root fs.FS
	dir  string
	c    *claim
}

// file reads a file of the repository.
func (e *catalogEntry) file(name string, required bool) ([]byte, bool) {
	info, err := fs.Stat(e.root, name)
	switch {
	case err != nil || !info.Mode().IsRegular():
		e.c.unless(!required, "%s is not there", name)
		return nil, false
	case info.Size() > maxCatalogFile:
		e.c.against("%s has more than %d bytes", name, maxCatalogFile)
		return nil, false
	}
	data, err := fs.ReadFile(e.root, name)
	if err != nil || !utf8.Valid(data) {
		e.c.against("%s cannot be read as UTF-8", name)
		return nil, false
	}
	return data, true
}

// read reads the entry and tells what it says.
func (e *catalogEntry) read() string {
	manifest := e.mapping(path.Join(e.dir, manifestFile), nil)
	readme := e.readme()
	declared := e.declaration()
	name, _ := manifest["name"].(string)
	description := ""
	for _, from := range []map[string]any{declared, manifest, readme} {
		if v := from["description"]; v != nil {
			description, _ = v.(string)
			break
		}
	}
	// A pyproject.toml may have both; it is not read here.
	if isFile(e.root, path.Join(e.dir, "pyproject.toml")) && (manifest["name"] == nil || description == "") {
		return "name or description may stand in pyproject.toml, which is not read here"
	}
	e.filled("name", name)
	e.filled("description", description)
	switch v := manifest["spec_version"].(type) {
	case nil, int64, string:
	default:
		e.c.against("spec_version %v is neither a whole number nor a text", v)
	}
	if declared["tags"] == nil {
		tags, isList := readme["tags"].([]any)
		e.c.unless(readme["tags"] == nil || isList && allTexts(tags), "tags of README.md must be texts")
	}
	return fmt.Sprintf("%s: %s", name, cut(description, 80))
}

// filled expects a text with something in it.
func (e *catalogEntry) filled(field, v string) {
	e.c.unless(strings.TrimSpace(v) != "" && utf8.RuneCountInString(v) <= maxField, "%s must be a text of 1 to %d characters", field, maxField)
}

// mapping reads a YAML file, or the given text, as a mapping.
func (e *catalogEntry) mapping(name string, text []byte) map[string]any {
	if text == nil {
		var ok bool
		if text, ok = e.file(name, true); !ok {
			return nil
		}
	}
	v, err := readYAML(text, true)
	if err != nil {
		e.c.against("%s: %v", name, err)
		return nil
	}
	m, ok := v.(map[string]any)
	e.c.unless(ok, "%s is no mapping", name)
	return m
}

// readme reads the front matter of README.md.
func (e *catalogEntry) readme() map[string]any {
	name := path.Join(e.dir, "README.md")
	data, ok := e.file(name, false)
	if !ok || !strings.HasPrefix(string(data), "---\n") && !strings.HasPrefix(string(data), "---\r") {
		return nil
	}
	lines := strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	end := slices.Index(lines[1:], "---")
	if end < 0 {
		e.c.against("%s: the front matter does not end", name)
		return nil
	}
	return e.mapping(name, []byte(strings.Join(lines[1:end+1], "\n")+"\n"))
}

// declaration reads discovery.json.
func (e *catalogEntry) declaration() map[string]any {
	name := path.Join(e.dir, discoveryFile)
	data, ok := e.file(name, false)
	if !ok {
		return nil
	}
	v, err := readUnique(data, maxNested, maxNodes)
	if err != nil {
		e.c.against("%s: %v", name, err)
		return nil
	}
	d, ok := v.(map[string]any)
	if !ok {
		e.c.against("%s is no object", name)
		return nil
	}
	wrong := func(format string, args ...any) { e.c.against(discoveryFile+": "+format, args...) }
	unknown(d, wrong, "description", "tags", "representative_queries", "license", "license_source", "artifact_availability", "agent_tools")
	for _, field := range []string{"description", "license", "license_source"} {
		if v := d[field]; v != nil && !isFilled(v) {
			wrong("%s must be a text of 1 to %d characters", field, maxField)
		}
	}
	e.lists(d, wrong)
	e.license(d, wrong)
	if v, ok := d["artifact_availability"]; ok && !slices.Contains([]any{"resolvable", "external", "unknown"}, v) {
		wrong("artifact_availability %v is not allowed; allowed is resolvable, external, unknown", v)
	}
	if v := d["agent_tools"]; v != nil {
		e.tools(v, wrong)
	}
	return d
}

// lists looks at tags and queries.
func (e *catalogEntry) lists(d map[string]any, wrong func(string, ...any)) {
	for _, field := range []string{"tags", "representative_queries"} {
		v, there := d[field]
		list, ok := v.([]any)
		if !there {
			continue
		}
		if !ok || slices.ContainsFunc(list, func(x any) bool { return !isFilled(x) }) {
			wrong("%s must be a list of texts with something in them", field)
		}
		if n := len(list); field == "representative_queries" && (n == 1 || n > 5) {
			wrong("representative_queries has %d; allowed are none, or 2 to 5", n)
		}
	}
}

// spdx is the form of a license expression; its names are not looked up.
var spdx = lazyregexp.New(`^\(*\s*[A-Za-z0-9.+-]+\s*\)*(\s+(AND|OR|WITH|and|or|with)\s+\(*\s*[A-Za-z0-9.+-]+\s*\)*)*$`)

func (e *catalogEntry) license(d map[string]any, wrong func(string, ...any)) {
	license, ok := d["license"].(string)
	if !ok {
		return
	}
	if !spdx.MatchString(license) || strings.Count(license, "(") != strings.Count(license, ")") {
		wrong("license %q is no SPDX expression", license)
	}
	if source, ok := d["license_source"].(string); ok && e.relative("license_source", source, wrong) {
		_, _ = e.file(source, true)
	}
}

// relative expects a path inside the repository.
func (e *catalogEntry) relative(field, p string, wrong func(string, ...any)) bool {
	bad := strings.ContainsFunc(p, func(r rune) bool {
		return r < 0x20 || r >= 0x7f && r <= 0x9f || r == 0x2028 || r == 0x2029 || r == '\\'
	})
	for _, part := range strings.Split(p, "/") {
		bad = bad || part == "" || part == ".." || part == "." && p != "."
	}
	if bad {
		wrong("%s %q is no path inside the repository", field, p)
	}
	return !bad
}

// tools looks at the tools that an agent is said to have.
func (e *catalogEntry) tools(v any, wrong func(string, ...any)) {
	t, ok := v.(map[string]any)
	if !ok {
		wrong("agent_tools must be an object")
		return
	}
	unknown(t, wrong, "protocol", "names", "source")
	if !isFilled(t["protocol"]) {
		wrong("agent_tools.protocol must be a text")
	}
	names, ok := t["names"].([]any)
	if !ok || len(names) == 0 || len(names) > maxTools {
		wrong("agent_tools.names must be a list of 1 to %d", maxTools)
	}
	seen := map[any]bool{}
	for _, n := range names {
		s, _ := n.(string)
		switch {
		case !isFilled(n):
			wrong("agent_tools.names holds %v, which is no text with something in it", n)
		case slices.Contains(controls, strings.ToLower(s)):
			wrong("agent_tools.names holds %s, which controls the simulation", s)
		case seen[s]:
			wrong("agent_tools.names holds %s twice", s)
		}
		seen[s] = true
	}
	source, ok := t["source"].(string)
	if !ok || !isFilled(source) {
		wrong("agent_tools.source must be a path")
		return
	}
	if !e.relative("agent_tools.source", source, wrong) {
		return
	}
	if !strings.HasPrefix(source, e.dir+"/") {
		wrong("agent_tools.source %s must lie in %s", source, e.dir)
		return
	}
	_, _ = e.file(source, true)
}

// isFilled tells whether a value is a text with something in it.
func isFilled(v any) bool {
	s, ok := v.(string)
	return ok && strings.TrimSpace(s) != "" && utf8.RuneCountInString(s) <= maxField
}

func allTexts(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool { _, ok := v.(string); return !ok })
}
