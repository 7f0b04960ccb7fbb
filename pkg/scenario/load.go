package scenario

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"reflect"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/triagebench/triage/pkg/lazyregexp"
	"github.com/triagebench/triage/pkg/triage"
)

// The folder of the bank that holds no scenarios, and its files that are no voices.
const (
	voicesDir = "voices"
	noiseFile = "noise.yaml"
	namesFile = "names.yaml"
)

// LoadDir reads a bank of YAML files: <route>/<slug>.yaml, voices/<slug>.yaml, voices/noise.yaml and voices/names.yaml.
// A bank without a voices folder takes voices, noise and names from the embedded bank. All mistakes of all files are
// reported together as [Problems], each with its file and line.
func LoadDir(dir fs.FS) (*Bank, error) {
	b := &Bank{}
	voices := map[string]bool{} // the files of that folder
	problems, err := eachFile(dir, func(name string, data []byte) Problems {
		if path.Dir(name) == voicesDir {
			voices[path.Base(name)] = true
		}
		return b.add(name, data)
	})
	if err != nil {
		return nil, fmt.Errorf("read bank: %w", err)
	}
	problems = append(problems, incomplete(voices, len(b.Voices))...)
	if len(voices) == 0 && len(problems) == 0 {
		e, err := Embedded()
		if err != nil {
			return nil, err
		}
		b.Voices, b.Noise, b.Names = e.Voices, e.Noise, e.Names
	}
	if len(problems) == 0 && len(b.Scenarios) == 0 {
		return nil, errors.New("read bank: no scenario found; a bank has files such as billing/some-situation.yaml")
	}
	if len(problems) > 0 {
		problems.sort()
		return nil, problems
	}
	if err := b.seal(); err != nil {
		return nil, err
	}
	return b, nil
}

// eachFile calls read for each .yaml file of a folder, and collects what it and the files' names have of problems. Symbolic links
// are not followed.
func eachFile(dir fs.FS, read func(name string, data []byte) Problems) (Problems, error) {
	var problems Problems
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Type()&fs.ModeSymlink != 0 {
			problems = append(problems, Problem{File: name, Message: "a symbolic link, which is not followed: put the file or folder itself there"})
			return nil
		}
		if d.IsDir() || path.Ext(name) != ".yaml" {
			if path.Ext(name) == ".yml" {
				problems = append(problems, Problem{File: name, Message: "files of a bank end in .yaml: rename it"})
			}
			return nil
		}
		data, err := fs.ReadFile(dir, name)
		if err != nil {
			return err
		}
		problems = append(problems, read(name, data)...)
		return nil
	})
	return problems, err
}

// incomplete says what a voices folder lacks. There may be none at all.
func incomplete(files map[string]bool, voices int) Problems {
	var out Problems
	if len(files) == 0 {
		return nil
	}
	for _, name := range []string{namesFile, noiseFile} {
		if !files[name] {
			out = append(out, Problem{File: voicesDir + "/" + name, Message: "it is missing: a bank with a voices folder has its own " +
				namesFile + ", " + noiseFile + " and a voice at least"})
		}
	}
	if voices == 0 {
		out = append(out, Problem{File: voicesDir, Message: "it has no voice: add one, such as " + voicesDir + "/terse-engineer.yaml"})
	}
	return out
}

// add reads one file into the bank.
func (b *Bank) add(name string, data []byte) Problems {
	folder, file := path.Split(name)
	folder = strings.TrimSuffix(folder, "/")
	slug := strings.TrimSuffix(file, ".yaml")
	switch {
	case folder == voicesDir && file == noiseFile:
		return decodeYAML(name, data, &b.Noise, func(at *locator) Problems { return checkNoise(at, &b.Noise) })
	case folder == voicesDir && file == namesFile:
		return decodeYAML(name, data, &b.Names, func(at *locator) Problems { return checkNames(at, &b.Names) })
	case folder == voicesDir:
		v := &Voice{Slug: slug}
		b.Voices = append(b.Voices, v)
		return decodeYAML(name, data, v, func(at *locator) Problems { return checkVoice(at, v) })
	case triage.Route(folder).Valid():
		s := &Scenario{}
		b.Scenarios = append(b.Scenarios, s)
		return readScenario(name, data, s)
	}
	return Problems{noRoute(name)}
}

func noRoute(name string) Problem {
	return Problem{File: name, Message: fmt.Sprintf("folder %q is no route: the routes are billing, technical, feature, feedback, spam", path.Dir(name))}
}

// ReadScenario reads and checks one scenario file; name is its path within the bank, such as billing/some-situation.yaml.
func ReadScenario(name string, data []byte) (*Scenario, error) {
	s := &Scenario{}
	if !triage.Route(path.Dir(name)).Valid() {
		return nil, Problems{noRoute(name)}
	}
	if p := readScenario(name, data, s); len(p) > 0 {
		p.sort()
		return nil, p
	}
	return s, nil
}

func readScenario(name string, data []byte, s *Scenario) Problems {
	s.Slug = strings.TrimSuffix(name, ".yaml")
	s.Route = triage.Route(path.Dir(name))
	return decodeYAML(name, data, s, func(at *locator) Problems { return checkScenario(at, s) })
}

// decodeYAML decodes strictly and lets check look at the result with line numbers at hand. What is no mistake of spelling ends it before
// the check: its further complaints would lead astray.
func decodeYAML(name string, data []byte, into any, check func(*locator) Problems) Problems {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	at := &locator{file: name}
	if err := dec.Decode(&at.root); err != nil {
		return yamlProblems(name, err)
	}
	var more yaml.Node
	if err := dec.Decode(&more); err == nil {
		return Problems{{File: name, Line: more.Line, Message: "a second document begins here: put it into a file of its own"}}
	} else if !errors.Is(err, io.EOF) {
		return yamlProblems(name, err)
	}
	keys := keyFinder{file: name}
	problems := keys.mend(&at.root, reflect.TypeOf(into).Elem())
	if err := at.root.Decode(into); err != nil {
		return append(problems, yamlProblems(name, err)...)
	}
	return append(problems, check(at)...)
}

// yamlProblems takes the lines out of the decoder's messages ("line 7: …") and puts them into words for people who write
// no Go.
func yamlProblems(name string, err error) Problems {
	var out Problems
	if errors.Is(err, io.EOF) {
		return Problems{{File: name, Message: "the file is empty"}}
	}
	lines := []string{strings.TrimPrefix(err.Error(), "yaml: ")}
	var te *yaml.TypeError
	if errors.As(err, &te) {
		lines = te.Errors
	}
	for _, l := range lines {
		p := Problem{File: name, Message: l}
		if n, rest, ok := strings.Cut(strings.TrimPrefix(l, "line "), ": "); ok && strings.HasPrefix(l, "line ") {
			if _, err := fmt.Sscanf(n, "%d", &p.Line); err == nil {
				p.Message = rest
			}
		}
		p.Message = plainWords(p.Message)
		out = append(out, p)
	}
	return out
}

var wrongKind = lazyregexp.New("^cannot unmarshal !!(\\w+)(?: `.*`)? into (\\S+)$")

// kinds are YAML's kinds of values in words.
var kinds = map[string]string{"str": "a text", "seq": "a list", "map": "a key with a value", "int": "a number", "float": "a number", "bool": "true or false"}

// plainWords says what a message of the decoder means.
func plainWords(message string) string {
	switch {
	case strings.HasPrefix(message, "found character that cannot start any token"):
		return "a tab or another character that YAML does not take here: indent with blanks, and put texts in quotes"
	case strings.HasPrefix(message, "did not find expected"), strings.HasPrefix(message, "found unexpected end of stream"),
		strings.HasPrefix(message, "mapping values are not allowed"):
		return "this does not fit here: near here or above a quote, a bracket or a dash is missing or one too many, or the indent differs from that of " +
			"the lines around; a quote inside \"…\" is written \\\" (YAML says: " + message + ")"
	case strings.HasSuffix(message, "UTF-8 octet"), strings.HasPrefix(message, "control characters"):
		return message + ": save the file as UTF-8 text"
	}
	m := wrongKind.FindStringSubmatch(message)
	if m == nil || kinds[m[1]] == "" {
		return message
	}
	expected := "keys with values"
	switch into := m[2]; {
	case into == "bool":
		expected = kinds["bool"]
	case into == "float64":
		expected = kinds["float"]
	case strings.HasPrefix(into, "[]"):
		expected = kinds["seq"]
	case !strings.Contains(into, "map[") && m[1] != "str":
		expected = kinds["str"]
	}
	return wrongKindOf(expected, m[1])
}

// wrongKindOf says that a value is of another kind than is expected.
func wrongKindOf(expected, kind string) string {
	out := fmt.Sprintf("expected is %s, here is %s", expected, kinds[kind])
	if kind == "map" {
		out += `: a text that holds ": " stands in quotes`
	}
	return out
}

// seal sorts the bank and hashes it.
func (b *Bank) seal() error {
	sortScenarios(b)
	sort.Slice(b.Voices, func(i, j int) bool { return b.Voices[i].Slug < b.Voices[j].Slug })
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, v := range []any{b.Scenarios, b.Voices, b.Noise, b.Names} {
		if err := enc.Encode(v); err != nil {
			return fmt.Errorf("hash bank: %w", err)
		}
	}
	b.Hash = hex.EncodeToString(h.Sum(nil))[:12]
	return nil
}

func sortScenarios(b *Bank) {
	sort.Slice(b.Scenarios, func(i, j int) bool { return b.Scenarios[i].Slug < b.Scenarios[j].Slug })
}
