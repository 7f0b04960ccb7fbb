package scenario

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/triagebench/triage/pkg/packed"
	"github.com/triagebench/triage/pkg/triage"
)

//go:embed embedded
var embedded embed.FS

// The files of the embedded bank beside those of the routes.
const (
	embeddedDir = "embedded"
	framesFile  = "frames.json"
	hashFile    = "hash.txt"
)

// frames are the parts of a bank that are no scenarios.
type frames struct {
	Canary string   `json:"canary"`
	Voices []*Voice `json:"voices"`
	Noise  Noise    `json:"noise"`
	Names  Names    `json:"names"`
}

var embeddedBank = sync.OnceValues(func() (*Bank, error) {
	b := &Bank{Hash: EmbeddedHash()}
	routes := triage.Routes()
	lists := make([][]*Scenario, len(routes))
	errs := make([]error, len(routes))
	var wg sync.WaitGroup
	for i, r := range routes {
		wg.Go(func() { lists[i], errs[i] = embeddedRoute(r) })
	}
	wg.Wait()
	for i, r := range routes {
		if errs[i] != nil {
			return nil, fmt.Errorf("embedded bank: %s: %w", r, errs[i])
		}
		b.Scenarios = append(b.Scenarios, lists[i]...)
	}
	data, err := embedded.ReadFile(path.Join(embeddedDir, framesFile))
	if err != nil {
		return nil, fmt.Errorf("embedded bank: %w", err)
	}
	var f frames
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("embedded bank: frames: %w", err)
	}
	b.Voices, b.Noise, b.Names = f.Voices, f.Noise, f.Names
	sortScenarios(b)
	return b, nil
})

// routeFile is the name of the file with a route's scenarios: JSON lines, packed.
func routeFile(r triage.Route) string { return string(r) + ".txt" }

func embeddedRoute(r triage.Route) ([]*Scenario, error) {
	text, err := embedded.ReadFile(path.Join(embeddedDir, routeFile(r)))
	if err != nil {
		return nil, err
	}
	data, err := packed.Unpack(text)
	if err != nil {
		return nil, err
	}
	return decodeLines(data)
}

// decodeLines decodes scenarios, a line each, on as many cores as there are.
func decodeLines(data []byte) ([]*Scenario, error) {
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	out := make([]*Scenario, len(lines))
	errs := make([]error, len(lines))
	var wg sync.WaitGroup
	for i, line := range lines {
		wg.Go(func() {
			out[i] = new(Scenario)
			errs[i] = json.Unmarshal(line, out[i])
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return out, nil
}

// Embedded is the bank in the binary, decoded at the first call. Nobody may change it.
func Embedded() (*Bank, error) { return embeddedBank() }

// EmbeddedHash is the hash of the embedded bank; it decodes nothing.
func EmbeddedHash() string {
	data, err := embedded.ReadFile(path.Join(embeddedDir, hashFile))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// Version names the generator: the stream number of the code and the bank's hash. Results of different versions do not
// compare.
func Version(bankHash string) string { return strconv.Itoa(StreamNumber) + "-" + bankHash }

// Generate renders the embedded form of a bank: file name to content. The scenarios of a route are JSON lines, packed by package packed.
func Generate(b *Bank) (map[string][]byte, error) {
	out := map[string][]byte{hashFile: []byte(b.Hash + "\n")}
	for _, r := range triage.Routes() {
		var buf bytes.Buffer
		w := bufio.NewWriter(&buf)
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		for _, s := range b.Scenarios {
			if s.Route == r {
				if err := enc.Encode(s); err != nil {
					return nil, fmt.Errorf("encode %s: %w", s.Slug, err)
				}
			}
		}
		if err := w.Flush(); err != nil {
			return nil, err
		}
		text, err := packed.Pack(buf.Bytes())
		if err != nil {
			return nil, err
		}
		out[routeFile(r)] = text
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(frames{Canary: Canary, Voices: b.Voices, Noise: b.Noise, Names: b.Names}); err != nil {
		return nil, fmt.Errorf("encode frames: %w", err)
	}
	out[framesFile] = buf.Bytes()
	return out, nil
}
