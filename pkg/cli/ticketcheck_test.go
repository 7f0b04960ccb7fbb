package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A copy of the public bank would bury what is said of the files that were put into it.
func TestAdviceOnPublicFilesIsCountedAndShownOnlyOfAFileThatIsNamed(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it looks at the whole bank")
	}
	const name = "xero-entries-doubled.yaml" // it has advice
	data, err := os.ReadFile(filepath.Join("..", "scenario", "bank", "technical", name))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "technical")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, name)
	check := func(text string, args ...string) string {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return newTestApp().mustRun(t, append([]string{"tickets", "check"}, args...)...)
	}
	if out := check(string(data), "--strict", dir); strings.Contains(out, ": advice: ") || !strings.Contains(out, "0 pieces of advice") || !strings.Contains(out, "Not shown: ") {
		t.Errorf("a folder with a public file: %s", out)
	}
	if out := check(string(data), file); !strings.Contains(out, ": advice: ") || strings.Contains(out, "Not shown") {
		t.Errorf("a public file that is named: %s", out)
	}
	if out := check(strings.Replace(string(data), "title: ", "title: Another ", 1), dir); !strings.Contains(out, ": advice: ") || strings.Contains(out, "Not shown") {
		t.Errorf("a file that was changed: %s", out)
	}
}
