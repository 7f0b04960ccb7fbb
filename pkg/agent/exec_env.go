package agent

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// ExecEnv picks the environment of a program out of environ, which is a list of NAME=value: PATH, HOME and LANG (on Windows also
// what no program starts without), and the names given. Names that are not set are left out. Names that begin with TRIAGE_ are
// refused: a program under test does not learn how it is tested. The order is that of the names.
func ExecEnv(environ, names []string) ([]string, error) { return execEnv(runtime.GOOS, environ, names) }

func execEnv(goos string, environ, names []string) ([]string, error) {
	wanted := []string{"PATH", "HOME", "LANG"}
	same := func(a, b string) bool { return a == b }
	if goos == "windows" {
		same = strings.EqualFold
		wanted = append(wanted, "SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA")
	}
	for _, n := range names {
		switch {
		case n == "" || strings.ContainsAny(n, "=\x00"):
			return nil, &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf("variable %q: give the name of a variable alone; its value is ours", n)}
		case len(n) >= 7 && strings.EqualFold(n[:7], "TRIAGE_"):
			return nil, &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf("variable %q: those that begin with TRIAGE_ are not for agents", n)}
		}
		wanted = append(wanted, n)
	}
	out := make([]string, 0, len(wanted))
	var taken []string
	for _, w := range wanted {
		if slices.ContainsFunc(taken, func(t string) bool { return same(t, w) }) {
			continue
		}
		taken = append(taken, w)
		for _, v := range environ {
			if name, _, ok := strings.Cut(v, "="); ok && same(name, w) {
				out = append(out, v)
				break
			}
		}
	}
	return out, nil
}
