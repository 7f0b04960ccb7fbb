package linear_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/linear"
	"github.com/triagebench/triage/pkg/testkit"
)

// small is a bundle of two models, one with a cost, and its file.
func small(t testing.TB) (*linear.Bundle, []byte) {
	t.Helper()
	examples, route, urgency := synthetic(60, 0, 1)
	b, _ := trained(t, examples, linear.Options{Bits: 10, MaxFeatures: 40}, route, urgency)
	return b, written(t, b)
}

// signed puts the checksum in that the data needs.
func signed(data []byte) []byte {
	if len(data) < sha256.Size {
		return data
	}
	end := len(data) - sha256.Size
	sum := sha256.Sum256(data[:end])
	return append(bytes.Clone(data[:end]), sum[:]...)
}

func TestAModelThatWasWrittenAndReadAnswersTheSame(t *testing.T) {
	t.Parallel()
	b, file := small(t)
	again, err := linear.Read(iotest.OneByteReader(bytes.NewReader(file)))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written(t, again), file) {
		t.Error("written again it has other bytes")
	}
	if sum := sha256.Sum256(file[:len(file)-sha256.Size]); b.Digest() != hex.EncodeToString(sum[:]) || again.Digest() != b.Digest() {
		t.Errorf("digests %s and %s, want %x", b.Digest(), again.Digest(), sum)
	}
	if again.Features() != b.Features() || again.Examples() != 60 {
		t.Errorf("%d features, %d examples", again.Features(), again.Examples())
	}
	fresh, _, _ := synthetic(50, 0, 2)
	for i, m := range b.Models() {
		n := again.Models()[i]
		if diff := cmp.Diff([]any{m.Name(), m.Values(), m.Ordered(), m.Seen(), m.Temperature()}, []any{n.Name(), n.Values(), n.Ordered(), n.Seen(), n.Temperature()}); diff != "" {
			t.Error(diff)
		}
		for _, e := range fresh {
			v, w := b.Vector(e), again.Vector(e)
			p, q := m.Probabilities(v), n.Probabilities(w)
			if diff := cmp.Diff(p, q); diff != "" || m.Decide(p) != n.Decide(q) {
				t.Fatal(diff)
			}
		}
	}
}

func TestAModelIsTheSameOnEveryMachine(t *testing.T) {
	t.Parallel()
	b, _ := small(t)
	testkit.Golden(t, "testdata/small.digest", b.Digest()+"\n")
}

func TestWritingToAFullDiskIsAnError(t *testing.T) {
	t.Parallel()
	b, file := small(t)
	for at := 0; at < len(file); at += 7 {
		if err := b.Write(&testkit.Full{Room: at}); !errors.Is(err, testkit.ErrFull) {
			t.Fatalf("room for %d: error %v", at, err)
		}
	}
}

func TestWhatIsNoModelIsRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	_, file := small(t)
	changed := bytes.Clone(file)
	changed[len(changed)/2] ^= 1
	newer := bytes.Clone(file)
	newer[len("triage linear model\n")] = 2
	longer := signed(append(bytes.Clone(file[:len(file)-sha256.Size]), make([]byte, 5+sha256.Size)...))
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":    {nil, "not a model file of this program: it is empty"},
		"text":     {[]byte("ticket_id,subject\n1,x\n"), `not a model file of this program: it begins with "ticket_id,subject\n1,"`},
		"short":    {file[:30], "cut off: it ends before its checksum"},
		"cut off":  {file[:len(file)-1], "cut off or changed: its checksum is another"},
		"changed":  {changed, "cut off or changed: its checksum is another"},
		"newer":    {newer, "version 2: this program reads version 1"},
		"too long": {longer, "damaged: 5 bytes too many"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := linear.Read(bytes.NewReader(c.data))
			if err == nil || err.Error() != "reading model: "+c.want {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if want := strings.HasPrefix(c.want, "not a model"); errors.Is(err, linear.ErrNotModel) != want {
				t.Errorf("ErrNotModel is %v", !want)
			}
		})
	}
	if _, err := linear.Read(iotest.ErrReader(errors.New("broken pipe"))); err == nil || err.Error() != "reading model: broken pipe" {
		t.Errorf("error %v", err)
	}
}

// TestADamagedFileWithARightChecksumDoesNoHarm changes and cuts each byte and signs again.
func TestADamagedFileWithARightChecksumDoesNoHarm(t *testing.T) {
	t.Parallel()
	_, file := small(t)
	for at := range len(file) - sha256.Size {
		for _, with := range []byte{0, 1, 0x7f, 0x80, 0xff} {
			data := bytes.Clone(file)
			data[at] = with
			use(t, signed(data))
		}
		use(t, signed(append(bytes.Clone(file[:at]), make([]byte, sha256.Size)...)))
	}
}

// use reads a file and, where that goes well, answers and explains with it.
func use(t testing.TB, data []byte) {
	b, err := linear.Read(bytes.NewReader(data))
	if err != nil {
		return
	}
	e := linear.Example{Texts: []linear.Text{{Name: "subject", Text: "refund"}, {Name: "body", Text: "the app has a crash, please help"}}, Fields: []string{"impact=1"}}
	v := b.Vector(e)
	for _, m := range b.Models() {
		p := m.Probabilities(v)
		sound(t, p)
		best := m.Decide(p)
		for c, n := range m.Seen() {
			if n > 0 && c != best {
				if _, err := b.Explain(m, e, best, c); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
	}
	if again, err := linear.Read(bytes.NewReader(written(t, b))); err != nil || again.Digest() != b.Digest() {
		t.Fatalf("it cannot be read again: %v", err)
	}
}

func TestALyingFileAllocatesNoMoreThanAFewTimesItsSize(t *testing.T) {
	_, file := small(t)
	before := memory()
	for at := range len(file) - sha256.Size - 4 {
		data := bytes.Clone(file)
		copy(data[at:], "\xff\xff\xff\x07")
		_, _ = linear.Read(bytes.NewReader(signed(data)))
	}
	if used := (memory() - before) / uint64(len(file)); used > uint64(40*len(file)+1<<15) {
		t.Errorf("%d bytes allocated a reading of a file of %d", used, len(file))
	}
}

func memory() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func FuzzRead(f *testing.F) {
	_, file := small(f)
	f.Add(file)
	f.Add([]byte("triage linear model\n\x01"))
	f.Fuzz(func(t *testing.T, data []byte) {
		use(t, data)
		use(t, signed(data))
	})
}

func TestTheSameBytesComeOutWithAnyNumberOfWorkers(t *testing.T) {
	t.Parallel()
	examples, route, urgency := synthetic(400, 0.2, 1)
	got := map[string]bool{}
	for _, workers := range []int{1, 2, 3, 8, 1} {
		b, _ := trained(t, examples, linear.Options{Workers: workers, MaxFeatures: 100}, route, urgency)
		got[b.Digest()] = true
	}
	if len(got) != 1 {
		t.Errorf("digests %v", got)
	}
	b, _ := trained(t, examples, linear.Options{Seed: 2, MaxFeatures: 100}, route, urgency)
	if got[b.Digest()] {
		t.Error("another seed gives the same bytes")
	}
}

func BenchmarkTrain(b *testing.B) {
	examples, route, urgency := synthetic(2000, 0.2, 1)
	b.ReportAllocs()
	for b.Loop() {
		trained(b, examples, linear.Options{}, route, urgency)
	}
}

func BenchmarkPredict(b *testing.B) {
	examples, route, urgency := synthetic(2000, 0.2, 1)
	bundle, _ := trained(b, examples, linear.Options{}, route, urgency)
	models := bundle.Models()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		v := bundle.Vector(examples[i%len(examples)])
		for _, m := range models {
			m.Decide(m.Probabilities(v))
		}
		i++
	}
}

func BenchmarkRead(b *testing.B) {
	examples, route, urgency := synthetic(2000, 0.2, 1)
	bundle, _ := trained(b, examples, linear.Options{}, route, urgency)
	file := written(b, bundle)
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := linear.Read(bytes.NewReader(file)); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleRead() {
	_, err := linear.Read(strings.NewReader("subject,body"))
	fmt.Println(err)
	// Output: reading model: not a model file of this program: it begins with "subject,body"
}
