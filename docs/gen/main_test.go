package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/cli"
)

func TestTheReferenceIsWhatTheCommandsSay(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", page))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, markdown(cli.Reference(bare(nil)))) {
		t.Errorf("%s is not current: go run ./docs/gen", page)
	}
}

func TestTheLicencesAreThoseOfTheModules(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	data, err := os.ReadFile(filepath.Join(root, licensesPage))
	if err != nil {
		t.Fatal(err)
	}
	want, err := licenses(root)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, want) {
		t.Errorf("%s is not current: go run ./docs/gen", licensesPage)
	}
}

// Each flag that help prints is in the reference, and no other: help is parsed, not the same structs.
func TestTheReferenceHasTheFlagsOfHelp(t *testing.T) {
	t.Parallel()
	for _, c := range cli.Reference(bare(nil)) {
		var out bytes.Buffer
		if code := cli.Main(t.Context(), bare(&out), append(strings.Fields(c.Path)[1:], "--help")); code != 0 {
			t.Fatalf("%s --help: exit code %d", c.Path, code)
		}
		own, _, _ := strings.Cut(out.String(), "\nGlobal Flags:")
		_, own, _ = strings.Cut(own, "\nFlags:\n")
		helped := map[string]bool{}
		for line := range strings.SplitSeq(own, "\n") {
			_, rest, ok := strings.Cut(line, "--")
			if name, _, _ := strings.Cut(rest, " "); ok && strings.HasPrefix(line, "  ") {
				helped[name] = true
			}
		}
		for _, f := range c.Flags {
			if !helped[f.Name] {
				t.Errorf("%s: --%s is in the reference and not in help", c.Path, f.Name)
			}
			delete(helped, f.Name)
		}
		for name := range helped {
			t.Errorf("%s: --%s is in help and not in the reference", c.Path, name)
		}
	}
}

func TestManPagesAndCompletionsAreWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := run(filepath.Join(dir, "man"), filepath.Join(dir, "completions"), ""); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"man/triage.1": "\\fBtriage\\-baseline\\fR(1)", "man/triage-tickets-show.1": ".SH SYNOPSIS", "completions/triage.bash": "complete", "completions/_triage": "#compdef triage",
		"completions/triage.fish": "complete -c triage", "completions/triage.ps1": "Register-ArgumentCompleter"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s: %v, without %q", name, err, want)
		}
	}
	man, err := exec.LookPath("man")
	if err != nil {
		t.Log("SKIPPED: there is no man to read the pages with")
		return
	}
	cmd := exec.CommandContext(t.Context(), man, "--warnings=all", "-l", filepath.Join(dir, "man", "triage-run.1"))
	cmd.Env = append(os.Environ(), "MANPAGER=cat", "MANWIDTH=80", "LC_ALL=C.UTF-8")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 || !strings.Contains(out.String(), "--max-errors") {
		t.Errorf("%v %s", err, errs.String())
	}
}

// TestTheTextsOfAllLicencesGoWithTheProgram looks for each module, and for what its licence asks to go with a binary.
func TestTheTextsOfAllLicencesGoWithTheProgram(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	list, err := modules(root)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := licenseTexts(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range append(list, dependency{path: "The Go standard library and runtime"}) {
		if !bytes.Contains(texts, []byte("\n"+d.path+" "+d.version+"\n")) {
			t.Errorf("%s %s has no text", d.path, d.version)
		}
	}
	for _, part := range []string{"Copyright 2009 The Go Authors", "Apache License", "Permission is hereby granted, free of charge"} {
		if !bytes.Contains(texts, []byte(part)) {
			t.Errorf("%q is nowhere", part)
		}
	}
}
