//go:build unix

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// screenOf reads what a terminal was told, until the other end closes.
type screenOf struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screenOf) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(data)
}

func (s *screenOf) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// until waits for a text on the screen.
func (s *screenOf) until(t *testing.T, want string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if strings.Contains(s.String(), want) {
			return
		}
	}
	t.Fatalf("%q is not shown; the terminal was told %q", want, s.String())
}

// terminal is a person at a real pseudo terminal.
func terminal(t *testing.T, a *testApp) (keys *os.File, screen *screenOf) {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("there is no pseudo terminal: %v", err)
	}
	t.Cleanup(func() { _ = tty.Close(); _ = master.Close() })
	if err := pty.Setsize(master, &pty.Winsize{Rows: 20, Cols: 60}); err != nil {
		t.Fatal(err)
	}
	screen = &screenOf{}
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := master.Read(b)
			_, _ = screen.Write(b[:n])
			if err != nil {
				return
			}
		}
	}()
	a.In, a.Err, a.ErrTerminal = tty, tty, true
	a.env["TERM"], a.env["NO_COLOR"] = "xterm-256color", "1"
	return master, screen
}

func TestAPersonPlaysAtATerminal(t *testing.T) {
	t.Parallel()
	own, out := twoOpinions(t), filepath.Join(t.TempDir(), "me")
	a := newTestApp()
	keys, screen := terminal(t, a)
	code := make(chan int)
	go func() { code <- a.run(t.Context(), "play", "--tickets", own, "--sample", "2", "--out", out) }()
	screen.until(t, "ticket 1 of 2")
	send := func(text string) {
		if _, err := keys.WriteString(text); err != nil {
			t.Error(err)
		}
	}
	send("1")
	screen.until(t, "sales") // the values of the second field
	send("1\r")
	screen.until(t, "2 of 2  T-1") // the second ticket
	send("s")
	screen.until(t, "s again")
	send("s")
	screen.until(t, "Enter ends")
	send("\r")
	if got := <-code; got != ExitOK {
		t.Errorf("exit code %d: %s", got, screen)
	}
	if text := a.out.String(); !strings.Contains(text, "human") {
		t.Errorf("printed was %q", text)
	}
	screen.until(t, "\x1b[?1049l") // the terminal is left as it was found; its last words are read after the program's end
	if strings.Contains(screen.String(), "\x1b[2J <script>") || strings.Contains(screen.String(), "\x1b[38;") {
		t.Errorf("a ticket steers the terminal, or there is colour: %q", screen)
	}
	if n := strings.Count(readFile(t, out, "episodes.jsonl"), "\n"); n != 2 {
		t.Errorf("%d episodes", n)
	}
}

func TestCtrlCAtATerminalKeepsWhatWasAnswered(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "me")
	a := newTestApp()
	keys, screen := terminal(t, a)
	code := make(chan int)
	go func() { code <- a.run(t.Context(), "play", "--out", out) }()
	screen.until(t, "ticket 1 of 8")
	if _, err := keys.WriteString("ss"); err != nil {
		t.Fatal(err)
	}
	screen.until(t, "TKT-80089") // the second ticket
	if _, err := keys.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	if got := <-code; got != ExitInterrupted {
		t.Errorf("exit code %d: %s", got, screen)
	}
	if n := strings.Count(readFile(t, out, "journal.jsonl"), "\n"); n != 1 {
		t.Errorf("%d lines in the journal, want 1", n)
	}
}
