package scenario

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/triagebench/triage/pkg/triage"
)

// voicesDir is the folder of the bank that holds no scenarios.
const voicesDir = "voices"

// LoadDir reads a bank of YAML files: <route>/<slug>.yaml, voices/<slug>.yaml, voices/noise.yaml and voices/names.yaml.
// A bank without a voices folder takes voices, noise and names from the embedded bank. All mistakes of all files are
// reported together as [Problems], each with its file and line.
func LoadDir(dir fs.FS) (*Bank, error) {
	b := &Bank{}
	var problems Problems
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() || path.Ext(name) != ".yaml" {
			return nil
		}
		data, err := fs.ReadFile(dir, name)
		if err != nil {
			return err
		}
		problems = append(problems, b.add(name, data)...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read bank: %w", err)
	}
	if len(b.Voices) == 0 && len(problems) == 0 {
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

// add reads one file into the bank.
func (b *Bank) add(name string, data []byte) Problems {
	folder, file := path.Split(name)
	folder = strings.TrimSuffix(folder, "/")
	slug := strings.TrimSuffix(file, ".yaml")
	switch {
	case folder == voicesDir && file == "noise.yaml":
		return decodeYAML(name, data, &b.Noise, nil)
	case folder == voicesDir && file == "names.yaml":
		return decodeYAML(name, data, &b.Names, nil)
	case folder == voicesDir:
		v := &Voice{Slug: slug}
		b.Voices = append(b.Voices, v)
		return decodeYAML(name, data, v, nil)
	case triage.Route(folder).Valid():
		s := &Scenario{}
		b.Scenarios = append(b.Scenarios, s)
		return readScenario(name, data, s)
	}
	return Problems{{File: name, Message: fmt.Sprintf("folder %q is no route: the routes are billing, technical, feature, feedback, spam", folder)}}
}

// ReadScenario reads and checks one scenario file; name is its path within the bank, such as billing/some-situation.yaml.
func ReadScenario(name string, data []byte) (*Scenario, error) {
	s := &Scenario{}
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

// decodeYAML decodes strictly and lets check look at the result with line numbers at hand.
func decodeYAML(name string, data []byte, into any, check func(*locator) Problems) Problems {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(into); err != nil {
		return yamlProblems(name, err)
	}
	if check == nil {
		return nil
	}
	at := &locator{file: name}
	if err := yaml.Unmarshal(data, &at.root); err != nil {
		return yamlProblems(name, err)
	}
	return check(at)
}

// yamlProblems takes the lines out of the decoder's messages ("line 7: …").
func yamlProblems(name string, err error) Problems {
	var out Problems
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
		out = append(out, p)
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
