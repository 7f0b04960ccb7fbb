package validate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/triagebench/triage/pkg/triage"
)

// The files by which formats of packages are told; openenv.yaml is the one that is read.
const (
	manifestFile = "openenv.yaml"
	taskTOML     = "task.toml"
	taskMarkdown = "task.md"
)

// unlooked are folders that a validation does not look into, wherever they stand.
var unlooked = []string{".git", "__pycache__", ".venv", ".worktrees", "outputs"}

// Dir checks the folder of a package without running anything: its manifest, runtime plan and catalog entries, by the rules of
// the OpenEnv package's own validator. An error means that ctx ended.
func Dir(ctx context.Context, root fs.FS) ([]triage.Check, error) {
	signature := checkSignature(root)
	source, err := checkSource(ctx, root)
	if err != nil {
		return nil, err
	}
	out := []triage.Check{signature, source}
	manifest := newClaim("static.manifest", "the validation block of openenv.yaml", "reward, resources, capabilities and types by the schema of manifests, within the policy's bounds")
	plan := newClaim("runtime.plan", "the actions with which a runtime check plays", "reset and 1 to 100 actions in 64 KiB of plain JSON")
	files := newClaim("execution.files", "what the execution block names", "a Dockerfile and a folder that are there")
	if !signature.Passed || !source.Passed {
		why := "the package could not be read"
		return append(append(out, manifest.skipped("%s", why), plan.skipped("%s", why), files.skipped("%s", why)), checkCatalog(root)...), nil
	}
	m := readManifest(root)
	for _, p := range m.problems {
		manifest.against("%s", p)
	}
	out = append(out, manifest.done("%s", m.summary()), checkPlan(root, plan, &m), checkExecution(root, files, &m))
	return append(out, checkCatalog(root)...), nil
}

// checkSignature expects exactly one file by which a format is told.
func checkSignature(root fs.FS) triage.Check {
	c := newClaim("package.signature", "the file that tells the format of the package", "openenv.yaml, and no other such file")
	c.unless(isFile(root, manifestFile), "there is no %s", manifestFile)
	c.unless(!isFile(root, taskTOML), "there is a %s too", taskTOML)
	if data, err := fs.ReadFile(root, taskMarkdown); err == nil {
		front := bytes.HasPrefix(bytes.TrimSpace(data), []byte("---")) && utf8.Valid(data)
		c.unless(!front, "there is a %s with front matter too", taskMarkdown)
	}
	return c.done("%s", manifestFile)
}

func isFile(root fs.FS, name string) bool {
	info, err := fs.Stat(root, name)
	return err == nil && info.Mode().IsRegular()
}

// checkSource expects folders and regular files only: one symbolic link anywhere makes a package unverifiable.
func checkSource(ctx context.Context, root fs.FS) (triage.Check, error) {
	c := newClaim("package.source", "the files of the package", "folders and regular files that can be read, no symbolic link")
	files := 0
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			c.against("%s: %v", name, plainPath(err))
			return nil
		case name != "." && slices.Contains(unlooked, path.Base(name)):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			c.against("%s is a symbolic link", name)
		case !d.IsDir() && !d.Type().IsRegular():
			c.against("%s is no regular file", name)
		case !d.IsDir():
			files++
		}
		return nil
	})
	if err != nil {
		return triage.Check{}, context.Cause(ctx)
	}
	return c.done("%d files", files), nil
}

// plainPath takes the path out of an error whose message names it already.
func plainPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// checkPlan looks at the runtime plan: the one that the execution block names, else the one that lies where it is looked for.
func checkPlan(root fs.FS, c *claim, m *manifest) triage.Check {
	name := m.probe
	if name == "" {
		if name = defaultProbe; !isFile(root, name) {
			return c.skipped("there is no execution block, and no %s", name)
		}
	}
	data, err := fs.ReadFile(root, name)
	if err != nil {
		c.against("%s: %v", name, plainPath(err))
		return c.done("")
	}
	actions, problems := readPlan(data)
	for _, p := range problems {
		c.against("%s: %s", name, p)
	}
	return c.done("%s: %d actions", name, actions)
}

// checkExecution looks for what the execution block names.
func checkExecution(root fs.FS, c *claim, m *manifest) triage.Check {
	switch {
	case m.probe == "":
		return c.skipped("there is no execution block: runtime checks are not asked for")
	case m.credentials:
		return c.skipped("it needs credentials, with which nothing is run")
	}
	info, err := fs.Stat(root, path.Clean(m.context))
	c.unless(err == nil && info.IsDir(), "the context %s is no folder", m.context)
	c.unless(isFile(root, path.Clean(m.dockerfile)), "there is no %s", m.dockerfile)
	return c.done("%s in %s", m.dockerfile, m.context)
}

// portable tells what is wrong with a path inside a package, if anything.
func portable(p string) error {
	if p == "" || strings.ContainsAny(p, "\\:\x00") || path.IsAbs(p) || slices.Contains(strings.Split(p, "/"), "..") {
		return fmt.Errorf("%q must be a portable path inside the package, without \"..\"", p)
	}
	return nil
}
