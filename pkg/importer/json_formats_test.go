package importer

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/triagebench/triage/pkg/testkit"
)

func jsonFormats() []Format {
	return []Format{zendeskJSON(), freshdeskJSON(), freshserviceJSON(), jiraJSON(), servicenowJSON(), githubJSON(), plainJSONL()}
}

func TestFixturesOfEveryFormatGiveTheirGoldens(t *testing.T) {
	t.Parallel()
	for _, f := range jsonFormats() {
		files, err := filepath.Glob(filepath.Join("testdata", f.Name, "*.*json*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no fixtures (%v)", f.Name, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, ".golden") {
				continue
			}
			t.Run(f.Name+"/"+filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				got := told(f, bytes.NewReader(data), filepath.Base(file))
				testkit.Golden(t, file+".golden", got)
				if again := told(f, iotest.OneByteReader(bytes.NewReader(data)), filepath.Base(file)); again != got {
					t.Errorf("read byte by byte it gives\n%s", again)
				}
			})
		}
	}
}

func TestEveryFixtureIsFoundFromItsContent(t *testing.T) {
	t.Parallel()
	for _, want := range jsonFormats() {
		files, err := filepath.Glob(filepath.Join("testdata", want.Name, "*.*json*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, ".golden") {
				continue
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, head := range [][]byte{data, data[:min(len(data), 1500)]} {
				best, sure := "", 0
				for _, f := range Formats() {
					if n := f.Detect(head, file); n > sure {
						best, sure = f.Name, n
					}
				}
				if best != want.Name {
					t.Errorf("%s, its first %d bytes: found %s (%d sure), want %s", file, len(head), best, sure, want.Name)
				}
			}
		}
	}
}
