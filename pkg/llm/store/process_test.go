package store

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The test binary plays another process that uses the same folder when this variable names what it does.
const roleVariable = "STORE_TEST_ROLE"

func TestMain(m *testing.M) {
	roles := map[string]func(root *os.Root, number int) error{"cache": useCache, "record": recordOnAndOn}
	role, ok := roles[os.Getenv(roleVariable)]
	if !ok {
		os.Exit(m.Run())
	}
	root, err := os.OpenRoot(os.Args[1])
	if err == nil {
		var number int
		if number, err = strconv.Atoi(os.Args[2]); err == nil {
			err = role(root, number)
		}
	}
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

// processKeys is how many entries the processes share.
const processKeys = 20

// longAnswer takes several writes of the system, so that half of it would be seen.
func longAnswer(i int) string {
	return fmt.Sprintf("answer %d ", i) + strings.Repeat(strconv.Itoa(i), 20_000)
}

// useCache reads and writes the shared entries, each long, and says so with a line each.
func useCache(root *os.Root, number int) error {
	c, err := OpenCache(root, CacheOptions{Now: clock})
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(uint64(number), 0))
	for range 60 {
		i := rng.IntN(processKeys)
		body, ok, err := c.Get(numbered(i))
		if err != nil || ok && string(body) != longAnswer(i) {
			return fmt.Errorf("ticket %d: %.100q, %w", i, body, err)
		}
		if err := c.Put(numbered(i), []byte(longAnswer(i))); err != nil {
			return err
		}
		fmt.Println("done")
	}
	if n := c.Counts(); n.Damaged > 0 {
		return fmt.Errorf("damaged: %+v", n)
	}
	return nil
}

// recordOnAndOn records until it is killed, from a number on, and says which it has.
func recordOnAndOn(root *os.Root, number int) error {
	r, err := Record(root, CassetteOptions{})
	if err != nil {
		return err
	}
	for i := number; ; i++ {
		if err := r.Put(numbered(i), []byte(answerTo(i))); err != nil {
			return err
		}
		fmt.Println(i)
	}
}

// process is another process, whose lines are read until it ends.
type process struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

func startProcess(t *testing.T, role, dir string, number int) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, dir, strconv.Itoa(number))
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &process{cmd: cmd, lines: bufio.NewScanner(out)}
}

// run gives the lines; after kill of them the process is killed where kill is over 0.
func (p *process) run(t *testing.T, kill int) []string {
	var got []string
	for p.lines.Scan() {
		got = append(got, p.lines.Text())
		if strings.HasPrefix(p.lines.Text(), "error:") {
			t.Error(p.lines.Text())
		}
		if len(got) == kill {
			if err := p.cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	}
	if err := p.cmd.Wait(); err != nil && kill == 0 {
		t.Error(err)
	}
	return got
}

// lesson D58
func TestProcessesShareACacheAlsoWhenSomeAreKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root := open(t, dir)
	const processes = 6
	done := make(chan struct{})
	for n := range processes {
		p := startProcess(t, "cache", dir, n)
		go func() {
			p.run(t, n%3*(20+n)) // two of three are killed
			done <- struct{}{}
		}()
	}
	c := cache(t, root, On)
	for finished := 0; finished < processes; {
		for i := range processKeys {
			if got := get(c, numbered(i)); got != "miss" && got != "hit: "+longAnswer(i) {
				t.Fatalf("ticket %d: %.100s", i, got)
			}
		}
		select {
		case <-done:
			finished++
		default:
		}
	}
	if n := c.Counts(); n.Damaged > 0 {
		t.Errorf("half an entry was read: %+v", n)
	}
	c = cache(t, root, Read)
	for i := range processKeys {
		if got := get(c, numbered(i)); got != "hit: "+longAnswer(i) {
			t.Errorf("ticket %d: %.100s", i, got)
		}
	}
	if diff := cmp.Diff(Counts{Hits: processKeys}, c.Counts()); diff != "" {
		t.Error(diff)
	}
	// What the killed ones left goes at the first opening that is an hour later.
	_, err := OpenCache(root, CacheOptions{Now: func() time.Time { return time.Now().Add(2 * time.Hour) }})
	if err != nil {
		t.Fatal(err)
	}
	for name := range files(t, root) {
		if strings.HasPrefix(name, "tmp/") {
			t.Errorf("%s stays", name)
		}
	}
}

func TestAKilledRecordingHasEveryAnswerThatItSaidItHad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	said := map[int]bool{}
	for round := range 6 {
		for _, line := range startProcess(t, "record", dir, 1000*round).run(t, 1+17*round) {
			i, err := strconv.Atoi(line)
			if err != nil {
				t.Fatal(line)
			}
			said[i] = true
		}
		if round == 3 { // one that ends well in between
			record(t, dir, CassetteOptions{}, func(*Recorder) {})
		}
	}
	check := func(when string) {
		p := replay(t, dir)
		for i := range said {
			if got := get(p, numbered(i)); got != "hit: "+answerTo(i) {
				t.Errorf("%s: answer %d: %s", when, i, got)
			}
		}
	}
	check("killed")
	record(t, dir, CassetteOptions{}, func(*Recorder) {})
	check("closed")
	for name, data := range files(t, open(t, dir)) {
		if name == RecordingFile || name == tempFile || !strings.HasSuffix(data, "\n") {
			t.Errorf("%s is there, of %d bytes", name, len(data))
		}
	}
}

func TestARecordingThatIsKilledGivesItsLockBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := startProcess(t, "record", dir, 0)
	if !p.lines.Scan() {
		t.Fatal("it recorded nothing")
	}
	if _, err := Record(open(t, dir), CassetteOptions{}); err == nil {
		t.Error("two processes record into one folder")
	}
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for p.lines.Scan() { // to its end
		continue
	}
	_ = p.cmd.Wait() // it was killed
	record(t, dir, CassetteOptions{}, func(*Recorder) {})
}
