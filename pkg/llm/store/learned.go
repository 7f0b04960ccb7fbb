package store

import (
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/llm/wire"
)

type learned struct {
	Schema   string          `json:"schema"`
	Endpoint string          `json:"endpoint"`
	SHA256   string          `json:"sha256"` // of Learned
	Learned  json.RawMessage `json:"learned"`
}

const learnedSchema = "triage.learned/1"

func learnedName(endpoint string) string {
	return learnedDir + "/" + sum([]byte(endpoint)) + ".json"
}

// Learned gives what was kept for the endpoint. In the modes that do not read there is nothing.
func (c *Cache) Learned(endpoint string) (wire.Learned, bool) {
	if !c.mode.reads() {
		return wire.Learned{}, false
	}
	endpoint = c.redact.text(endpoint)
	data, err := readFile(c.root, learnedName(endpoint), 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return wire.Learned{}, false
	}
	var l wire.Learned
	if err == nil {
		l, err = decodeLearned(data, endpoint)
	}
	if err != nil {
		c.damaged.Add(1)
		return wire.Learned{}, false
	}
	return l, true
}

func decodeLearned(data []byte, endpoint string) (wire.Learned, error) {
	var f learned
	if err := decode(data, &f); err != nil {
		return wire.Learned{}, err
	}
	if f.Schema != learnedSchema || f.Endpoint != endpoint || f.SHA256 != sum(f.Learned) {
		return wire.Learned{}, errors.New("it is damaged or another endpoint's")
	}
	var l wire.Learned
	err := decode(f.Learned, &l)
	return l, err
}

// SetLearned keeps what the endpoint has refused. In the modes that do not write it does nothing.
func (c *Cache) SetLearned(endpoint string, l wire.Learned) error {
	if !c.mode.writes() {
		return nil
	}
	endpoint = c.redact.text(endpoint)
	raw, err := encode(cleanLearned(l, c.redact))
	if err != nil {
		return err
	}
	raw = raw[:len(raw)-1]
	data, err := encode(learned{Schema: learnedSchema, Endpoint: endpoint, SHA256: sum(raw), Learned: raw})
	if err != nil {
		return err
	}
	return c.write(learnedName(endpoint), data)
}

// cleanLearned takes secrets out of the notes, which quote endpoints.
func cleanLearned(l wire.Learned, redact Redact) wire.Learned {
	l.Notes = slices.Clone(l.Notes)
	for i, n := range l.Notes {
		l.Notes[i] = strings.ToValidUTF8(redact.text(n), "\uFFFD")
	}
	return l
}
