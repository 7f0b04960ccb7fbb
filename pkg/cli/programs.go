package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// programsOf gives the settings that hold hashes of the files that a command names, as far as they are there: of each word that is a
// regular file, and of the program where it stands without a folder. What these files load in turn is not looked at.
func (a *App) programsOf(name string, words []string) results.Settings {
	out := results.Settings{}
	for i, word := range words {
		key, file := results.ProgramSetting+name+": "+word, word
		if i == 0 && filepath.Base(word) == word {
			found, err := "", error(nil)
			if a.LookPath != nil {
				found, err = a.LookPath(word)
			}
			if found == "" || err != nil {
				continue
			}
			key, file = results.PathSetting+name+": "+word, found
		}
		if hash := a.hashOf(file); hash != "" {
			out[key] = hash
		}
	}
	return out
}

// mostHashed is how much of a file goes into its hash, beside its size: a model's weights may be named too.
const mostHashed = 64 << 20

// hashOf is a hash of a regular file, or nothing.
func (a *App) hashOf(name string) string {
	f, err := a.OpenFile(name)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // opened for reading
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, mostHashed)); err != nil {
		return ""
	}
	_, _ = fmt.Fprintf(h, " %d", info.Size()) // a hash takes everything
	const shown = 8
	return hex.EncodeToString(h.Sum(nil)[:shown])
}

// samePrograms refuses to go on with a run when a file that an agent's command names is another now: one run would hold the scores of
// two programs.
func (e *engine) samePrograms(root *os.Root) error {
	was, err := results.ReadSettings(root)
	if err != nil {
		return err
	}
	for _, d := range was.Differences(e.settings) {
		rest, ok := strings.CutPrefix(d.Name, results.ProgramSetting)
		if !ok {
			rest, ok = strings.CutPrefix(d.Name, results.PathSetting)
		}
		if !ok || d.Was == "" || d.Is == "" { // what was not there is named with the other settings
			continue
		}
		at := strings.LastIndex(rest, ": ")
		return &triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf("%s: the program changed: %s of %s is another than the run began with; play it anew "+
			"in another folder (--out DIR), or put the file back", root.Name(), rest[at+2:], rest[:at])}
	}
	return nil
}
