// Package cli is the command line: a file per command, on cobra. Everything of the operating system comes in through
// [App]; a command parses its flags into a struct of options and a run function works on that.
package cli

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
	"unicode"

	"github.com/triagebench/triage/pkg/agent"
)

// App is the outside world as the commands see it. Tests make one of buffers and temporary folders.
type App struct {
	In  io.Reader
	Out io.Writer // data
	Err io.Writer // progress, warnings, errors
	// ErrTerminal says that Err is a terminal, where a bar may be drawn.
	ErrTerminal bool
	// InTerminal says that In is a terminal, where a question can be answered.
	InTerminal bool
	LookupEnv  func(string) (string, bool)
	Environ    func() []string
	Now        func() time.Time
	// Random is a source of unpredictable bytes, for secrets only.
	Random io.Reader
	// OpenRoot opens a folder for writing, making it where it does not exist.
	OpenRoot func(dir string) (*os.Root, error)
	// OpenExisting opens a folder that must be there; CacheDir is the user's folder for what can be made again.
	OpenExisting func(dir string) (*os.Root, error)
	CacheDir     func() (string, error)
	// TempDir is the folder for temporary files; nil where the working folder has to do.
	TempDir func() string
	// Getwd gives the working folder, to name paths below it shorter; nil where there is none.
	Getwd func() (string, error)
	// OpenFile opens a file for reading; ReadFile reads a whole one.
	OpenFile func(name string) (*os.File, error)
	ReadFile func(name string) ([]byte, error)
	// HTTP asks servers.
	HTTP *http.Client
	// Listen opens a port.
	Listen func(network, address string) (net.Listener, error)
	// DirFS gives a folder as a file system.
	DirFS func(dir string) fs.FS
	// Self runs this program in another process, without variables, and gives what it prints; nil where that cannot be done.
	Self func(ctx context.Context, args ...string) ([]byte, error)
	// LookPath finds a program by its name; nil where none can be found.
	LookPath func(name string) (string, error)
	// Start starts a program that plays as an agent.
	Start agent.StartProcess
	// Version is the program's version and commit, as the build recorded them.
	Version func() Version
}

// warn tells of something that does not stop the command.
func (a *App) warn(format string, args ...any) {
	_, _ = fmt.Fprintf(a.Err, "triage: warning: %s\n", plainLine(fmt.Sprintf(format, args...))) // a lost warning is no reason to stop
}

// plainLine makes control characters spaces: texts of others are one line, and steer no terminal.
func plainLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text)
}

// Version says what was built.
type Version struct{ Number, Commit, Go, Platform string }

// System is the real world.
func System() *App {
	return &App{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, ErrTerminal: isTerminal(os.Stderr), InTerminal: isTerminal(os.Stdin), LookupEnv: os.LookupEnv,
		Environ: os.Environ, Now: time.Now, Random: secureRandom, OpenRoot: makeRoot, OpenExisting: os.OpenRoot, CacheDir: os.UserCacheDir, TempDir: os.TempDir, Getwd: os.Getwd, LookPath: exec.LookPath, OpenFile: openRegular, ReadFile: readWhole,
		DirFS: os.DirFS, Listen: net.Listen, HTTP: &http.Client{}, Self: runSelf, Start: startProcess, Version: buildVersion}
}
