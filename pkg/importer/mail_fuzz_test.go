package importer

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"
)

func FuzzMail(f *testing.F) {
	for _, pattern := range []string{"testdata/mbox/*.mbox", "testdata/eml/*.eml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for name, format := range map[string]Format{"mbox": mbox(), "eml": eml()} {
			format.Detect(data, "a."+name)
			r, err := format.Open(seekable("a."+name, data))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for {
				rec, err := r.Next()
				var bad *RowError
				if errors.Is(err, io.EOF) {
					break
				}
				if errors.As(err, &bad) {
					continue
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				for _, text := range []string{rec.Subject, rec.Body, rec.Customer, rec.ID} {
					if !utf8.ValidString(text) {
						t.Errorf("%s gives %q, which is no UTF-8", name, text)
					}
				}
			}
		}
	})
}

func BenchmarkMbox(b *testing.B) {
	one, err := os.ReadFile("testdata/mbox/Support.mbox")
	if err != nil {
		b.Fatal(err)
	}
	data := bytes.Repeat(one, 1000)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		r, err := mbox().Open(seekable("m.mbox", data))
		for err == nil {
			var bad *RowError
			if _, err = r.Next(); errors.As(err, &bad) {
				err = nil
			}
		}
		if !errors.Is(err, io.EOF) {
			b.Fatal(err)
		}
	}
}
