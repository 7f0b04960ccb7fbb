package cli

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/triagebench/triage/pkg/llm/store"
	"github.com/triagebench/triage/pkg/llm/wire"
	"github.com/triagebench/triage/pkg/triage"
)

// keep opens what keeps the replies: a cassette that is replayed, or the cache and a cassette that is recorded. A dry run
// opens nothing.
func (b *modelBench) keep() error {
	m := &b.options.model
	if m.DryRun {
		return nil
	}
	redact := wire.NewRedactor(b.secrets...).Bytes // out of what is written
	if m.Replay != "" {
		return b.replay(redact)
	}
	if m.Cache != string(store.Off) {
		if err := b.cache(redact); err != nil {
			return err
		}
	}
	if m.Record != "" {
		return b.record(redact)
	}
	return nil
}

func (b *modelBench) replay(redact store.Redact) error {
	folder := b.options.model.Replay
	root, err := b.options.app.OpenExisting(folder)
	if err != nil {
		return fileProblem("open cassette", folder, err)
	}
	b.closers = append(b.closers, root.Close)
	player, err := store.Replay(root, store.CassetteOptions{Settings: b.noted(), Redact: redact})
	if err != nil {
		return &triage.Error{Code: triage.CodeFiles, Message: "replay", Err: err}
	}
	b.memory = player
	return nil
}

func (b *modelBench) cache(redact store.Redact) error {
	o, m := b.options, &b.options.model
	dir := m.CacheDir
	if dir == "" {
		base, err := o.app.CacheDir()
		if err != nil {
			return usageError("there is no folder for the cache (%v): give --cache-dir DIR, or --cache off", err)
		}
		dir = filepath.Join(base, "triage", "llm")
	}
	root, err := userFolder(o.app, "--cache-dir", dir)
	if err != nil {
		return err
	}
	b.closers = append(b.closers, root.Close)
	cache, err := store.OpenCache(root, store.CacheOptions{Mode: store.Mode(m.Cache), Now: o.app.Now, Redact: redact})
	if err != nil {
		return &triage.Error{Code: triage.CodeFiles, Message: "cache", Err: err}
	}
	b.memory = cache
	return nil
}

func (b *modelBench) record(redact store.Redact) error {
	root, err := userFolder(b.options.app, "--record", b.options.model.Record)
	if err != nil {
		return err
	}
	if b.recorder, err = store.Record(root, store.CassetteOptions{Settings: b.noted(), Redact: redact}); err != nil {
		return &triage.Error{Code: triage.CodeFiles, Message: "record", Err: errors.Join(err, root.Close())}
	}
	b.closers = append(b.closers, root.Close, b.recorder.Close)
	if b.memory == nil {
		b.memory = b.recorder
	} else {
		b.memory = store.Chain(b.recorder, b.memory)
	}
	return nil
}

// noted are the settings that a cassette notes: those of all rows.
func (b *modelBench) noted() map[string]string {
	out := map[string]string{}
	for _, m := range b.members {
		for k, v := range m.settings {
			out[m.name+": "+k] = v
		}
	}
	return out
}

// userFolder opens a folder of the user's, making it where it does not exist.
func userFolder(app *App, flag, name string) (*os.Root, error) {
	if name == "" {
		return nil, usageError("%s names no folder", flag)
	}
	return app.OpenRoot(name)
}
