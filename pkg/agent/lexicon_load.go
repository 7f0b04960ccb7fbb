package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sync"
)

// cueFile is one JSON file of a lexicon. A cue is words in lower case: "log*" is a beginning, "a|b" is either word, "_" any
// word, "..." up to six words, "$team" any word of a class. Cues stand in strings, several in one, with commas between.
type cueFile struct {
	About   string                         `json:"about"`
	Classes map[string][]string            `json:"classes"`
	Lists   map[string]map[string][]string `json:"lists"` // list -> weight -> cues
}

// loadLexicon compiles the JSON files of a folder. known are the lists that the code reads; each must be there and no
// other.
func loadLexicon(files fs.FS, folder string, known []string) (*lexicon, error) {
	entries, err := fs.ReadDir(files, folder)
	if err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	parts, errs := make([]cueFile, len(entries)), make([]error, len(entries))
	var wait sync.WaitGroup
	for i, e := range entries {
		wait.Go(func() {
			data, err := fs.ReadFile(files, path.Join(folder, e.Name()))
			if err == nil {
				err = parts[i].decode(data)
			}
			errs[i] = err
		})
	}
	wait.Wait()
	all := cueFile{Classes: map[string][]string{}, Lists: map[string]map[string][]string{}}
	for i, e := range entries {
		err := errs[i]
		if err == nil {
			err = all.add(&parts[i])
		}
		if err != nil {
			return nil, fmt.Errorf("rules: %s: %w", path.Join(folder, e.Name()), err)
		}
	}
	return compile(&all, known)
}

// decode reads one file, and refuses fields that it does not know.
func (f *cueFile) decode(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(f); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON value")
	}
	return nil
}

// add takes another file's classes and lists into f. Names must not repeat.
func (f *cueFile) add(one *cueFile) error {
	for name, words := range one.Classes {
		if _, ok := f.Classes[name]; ok {
			return fmt.Errorf("class %q is there already", name)
		}
		f.Classes[name] = words
	}
	for name, list := range one.Lists {
		if _, ok := f.Lists[name]; ok {
			return fmt.Errorf("list %q is there already", name)
		}
		f.Lists[name] = list
	}
	return nil
}
