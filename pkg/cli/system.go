package cli

import (
	"crypto/rand"
	"os"
	"runtime"
	"runtime/debug"

	"golang.org/x/term"

	"github.com/triagebench/triage/pkg/triage"
)

var secureRandom = rand.Reader

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// makeRoot opens a folder, making it and its parents where they do not exist.
func makeRoot(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, &triage.Error{Code: triage.CodeFiles, Message: "make folder " + dir, Err: cause(err)}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, &triage.Error{Code: triage.CodeFiles, Message: "open folder " + dir, Err: cause(err)}
	}
	return root, nil
}

// cause takes the path out of an error whose message names it already.
func cause(err error) error {
	if p, ok := err.(*os.PathError); ok { //nolint:errorlint // only the outermost layer names the path
		return p.Err
	}
	return err
}

// version is set at release; a build from a checkout says "dev".
var version = "dev"

func buildVersion() Version {
	v := Version{Number: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if version == "dev" && info.Main.Version != "" && info.Main.Version != "(devel)" {
		v.Number = info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v.Commit = s.Value
		}
	}
	return v
}
