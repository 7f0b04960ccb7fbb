package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"

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

// maxWhole is the largest file that is read as a whole: settings, secrets, labels.
const maxWhole = 64 << 20

var (
	errNotRegular = errors.New("not a regular file: save it as one first")
	errTooLarge   = errors.New("larger than 64 MiB")
)

// openRegular opens a file for reading. Pipes and devices are refused: they would hang, or never end.
func openRegular(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, &os.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	return os.Open(name)
}

// readWhole reads a regular file of bounded size.
func readWhole(name string) ([]byte, error) {
	f, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	data, err := io.ReadAll(io.LimitReader(f, maxWhole+1))
	if err == nil && len(data) > maxWhole {
		err = &os.PathError{Op: "read", Path: name, Err: errTooLarge}
	}
	return data, err
}

// selfOutput is the most that another process of this program may print.
const selfOutput = 64 << 10

// runSelf runs this program in another process, in another time zone, language and number of processors, so that nothing of
// it can decide what comes out.
func runSelf(ctx context.Context, args ...string) ([]byte, error) {
	name, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = []string{"GOMAXPROCS=1", "TZ=Pacific/Chatham", "LANG=tr_TR.UTF-8", "LC_ALL=tr_TR.UTF-8"}
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, bytes.TrimSpace(errs.Bytes()))
	}
	if out.Len() > selfOutput {
		return nil, errTooLarge
	}
	return out.Bytes(), nil
}

// cause takes the path out of an error whose message names it already.
func cause(err error) error {
	if p, ok := err.(*os.PathError); ok { //nolint:errorlint // only the outermost layer names the path
		return p.Err
	}
	return err
}

// version and commit are set at release; a build from a checkout says "dev" and what the build recorded.
var version, commit = "dev", ""

func buildVersion() Version {
	v := Version{Number: version, Commit: commit, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if version == "dev" && info.Main.Version != "" && info.Main.Version != "(devel)" {
		v.Number = strings.TrimPrefix(info.Main.Version, "v") // as releases say it
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && commit == "" {
			v.Commit = s.Value
		}
	}
	return v
}
