package agent

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/triage"
)

func TestCommandLinesAreSplitAsAShellQuotesThem(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		command string
		want    []string
		err     string // part of the message
	}{
		"words":                     {command: "  python3\tmy_agent.py  -v ", want: []string{"python3", "my_agent.py", "-v"}},
		"a line break is a blank":   {command: "a\nb", want: []string{"a", "b"}},
		"single quotes":             {command: `sh -c 'echo "$X" | cat \n'`, want: []string{"sh", "-c", `echo "$X" | cat \n`}},
		"double quotes":             {command: `a "b \" \\ \$ \n 'c'"`, want: []string{"a", `b " \ $ \n 'c'`}},
		"backslash":                 {command: `my\ agent C:\\x \n \é`, want: []string{"my agent", `C:\x`, "n", "é"}},
		"a line that goes on":       {command: "a b\\\nc \"d\\\ne\" \\\n f", want: []string{"a", "bc", "de", "f"}},
		"an empty word":             {command: `a '' ""`, want: []string{"a", "", ""}},
		"parts of one word":         {command: `a 'b'"c"d\ e`, want: []string{"a", "bcd e"}},
		"beyond ASCII":              {command: `агент 'тест 票'`, want: []string{"агент", "тест 票"}},
		"an escaped dollar":         {command: `a \$HOME \'`, want: []string{"a", "$HOME", "'"}},
		"nothing":                   {command: " ", err: "it names no program, as in exec:'python my_agent.py'"},
		"an empty program":          {command: `'' a`, err: "it names no program"},
		"an open single quote":      {command: `a 'b`, err: "the quote ' is not closed"},
		"an open double quote":      {command: `a "b\"`, err: `the quote " is not closed`},
		"a backslash at the end":    {command: `a \`, err: `there is nothing behind the last \`},
		"a pipe":                    {command: `a | b`, err: "| needs a shell, and none reads it: quote it, or give sh -c '…'"},
		"two commands":              {command: `a; b`, err: "; needs a shell"},
		"a redirection":             {command: `a 2>log`, err: "> needs a shell"},
		"brackets":                  {command: `(a)`, err: "( needs a shell"},
		"a variable":                {command: `$HOME/a`, err: "$ is not expanded, as no shell reads it: put it in single quotes"},
		"a variable in quotes":      {command: `a "$HOME"`, err: "$ is not expanded"},
		"a command in a command":    {command: "a \"`b`\"", err: "` is not expanded"},
		"a zero byte":               {command: "a\x00", err: "it holds a zero byte"},
		"a zero byte in quotes":     {command: "a '\x00'", err: "it holds a zero byte"},
		"a quote that stays a word": {command: `a "`, err: `the quote " is not closed`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := splitCommand(tt.command)
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("words (-want +got):\n%s", d)
			}
			if (err != nil) != (tt.err != "") || err != nil && (!strings.Contains(err.Error(), tt.err) || triage.CodeOf(err) != triage.CodeUsage) {
				t.Errorf("error %v, want one with %q", err, tt.err)
			}
			if sh, look := exec.LookPath("sh"); look == nil && err == nil && name != "a line break is a blank" {
				said, err := exec.Command(sh, "-c", `printf '<%s>' `+tt.command).CombinedOutput()
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff("<"+strings.Join(tt.want, "><")+">", string(said)); d != "" {
					t.Errorf("a shell splits it otherwise (-ours +shell):\n%s", d)
				}
			}
		})
	}
}

func FuzzSplitCommand(f *testing.F) {
	f.Add(`sh -c 'a "b"' \c`)
	f.Add(`"a\` + "\n" + `b" ''`)
	f.Fuzz(func(t *testing.T, command string) {
		words, err := splitCommand(command)
		if err != nil {
			if triage.CodeOf(err) != triage.CodeUsage {
				t.Errorf("code of %v", err)
			}
			return
		}
		var quoted []string
		for _, w := range words {
			quoted = append(quoted, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
		}
		again, err := splitCommand(strings.Join(quoted, " "))
		if d := cmp.Diff(words, again); d != "" || err != nil {
			t.Errorf("quoted and split again, error %v (-first +second):\n%s", err, d)
		}
	})
}

func TestAProgramGetsNoVariableThatWasNotNamed(t *testing.T) {
	t.Parallel()
	ours := []string{"PATH=/bin", "OPENAI_API_KEY=sk-1", "TRIAGE_SEED=1", "HOME=/root", "LANG=C", "HTTP_PROXY=x", "SystemRoot=C:\\W", "EMPTY=", "odd"}
	for name, tt := range map[string]struct {
		goos  string
		names []string
		want  []string
		err   string
	}{
		"nothing named":             {goos: "linux", want: []string{"PATH=/bin", "HOME=/root", "LANG=C"}},
		"windows":                   {goos: "windows", want: []string{"PATH=/bin", "HOME=/root", "LANG=C", `SystemRoot=C:\W`}},
		"a key that is named":       {goos: "linux", names: []string{"OPENAI_API_KEY"}, want: []string{"PATH=/bin", "HOME=/root", "LANG=C", "OPENAI_API_KEY=sk-1"}},
		"named twice, empty, unset": {goos: "linux", names: []string{"EMPTY", "EMPTY", "PATH", "NOSUCH", "odd"}, want: []string{"PATH=/bin", "HOME=/root", "LANG=C", "EMPTY="}},
		"one of ours":               {goos: "linux", names: []string{"TRIAGE_SEED"}, err: `variable "TRIAGE_SEED": those that begin with TRIAGE_ are not for agents`},
		"one of ours in lower case": {goos: "windows", names: []string{"triage_seed"}, err: `variable "triage_seed": those`},
		"with a value":              {goos: "linux", names: []string{"A=b"}, err: `variable "A=b": give the name of a variable alone; its value is ours`},
		"no name":                   {goos: "linux", names: []string{""}, err: `variable "": give the name`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := execEnv(tt.goos, ours, tt.names)
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("environment (-want +got):\n%s", d)
			}
			if (err != nil) != (tt.err != "") || err != nil && (!strings.Contains(err.Error(), tt.err) || triage.CodeOf(err) != triage.CodeUsage) {
				t.Errorf("error %v, want one with %q", err, tt.err)
			}
		})
	}
}

func TestWhatAProgramLogsIsPassedOnLineByLineCleanedAndBounded(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := logLines{to: &out, prefix: "exec:a [1]: "}
	for _, part := range []string{"one\nt", "wo\r\n\x1b[31mred\x07\n", "\xff " + strings.Repeat("x", 3000), "\n\nno end"} {
		if n, err := l.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("Write gives %d, %v", n, err)
		}
	}
	if d := cmp.Diff([]string{"two", " [31mred", "\uFFFD " + strings.Repeat("x", 1998) + " …", "", "no end"}, l.finish()); d != "" {
		t.Errorf("last lines (-want +got):\n%s", d)
	}
	for i := range 250 {
		_, _ = fmt.Fprintln(&l, i)
	}
	l.begin()
	_, _ = fmt.Fprintln(&l, "again")
	got := strings.Split(out.String(), "\n")
	if d := cmp.Diff([]string{"exec:a [1]: one", "exec:a [1]: two", "exec:a [1]:  [31mred"}, got[:3]); d != "" {
		t.Errorf("first lines (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"exec:a [1]: 193", "exec:a [1]: … 56 more lines are left out", "exec:a [1]: again", ""}, got[len(got)-4:]); d != "" {
		t.Errorf("last lines (-want +got):\n%s", d)
	}
}

func TestCrashCountsReadWell(t *testing.T) {
	t.Parallel()
	got := []string{CrashCounts{}.String(), CrashCounts{Crashes: 1}.String(), CrashCounts{Crashes: 2, Timeouts: 1, Garbled: 3}.String()}
	if d := cmp.Diff([]string{"none", "1 crash", "2 crashes, 1 timeout, 3 garbled answers"}, got); d != "" {
		t.Errorf("counts (-want +got):\n%s", d)
	}
}

func TestAnErrorOfALineIsAFault(t *testing.T) {
	t.Parallel()
	var f *fault
	if err := unasked(line{err: errTooLong}); !errors.As(err, &f) || f.kind != garbled {
		t.Errorf("%v is no garbled answer", err)
	}
}
