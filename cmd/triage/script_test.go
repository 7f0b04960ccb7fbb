package main_test

import (
	"context"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/triagebench/triage/pkg/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"triage": func() { os.Exit(cli.Main(context.Background(), cli.System(), os.Args[1:])) },
	})
}

// TestScripts plays testdata/script/*.txtar: the whole program, with good and bad flags.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireExplicitExec: true, UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != ""})
}
