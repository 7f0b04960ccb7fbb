package wire_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm/wire"
)

func TestASecretIsNeverPrinted(t *testing.T) { // lesson D68
	t.Parallel()
	const value = "sk-verysecret-0123"
	s := wire.Secret(value)
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%10.3s", "%T"} {
		fmt.Fprintf(&out, verb+"\n", s)
		fmt.Fprintf(&out, verb+"\n", struct {
			Key wire.Secret
			Ptr *wire.Secret
			Map map[wire.Secret]wire.Secret
		}{s, &s, map[wire.Secret]wire.Secret{s: s}})
	}
	slog.New(slog.NewTextHandler(&out, nil)).Info("call", "key", s)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("call", "key", s, "keys", []wire.Secret{s})
	if err := json.NewEncoder(&out).Encode(map[string]any{"keys": []any{s, &s}}); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(&out, s.String(), s.GoString(), fmt.Errorf("with %v", s))
	low := strings.ToLower(out.String())
	for _, form := range []string{value, "verysecret", fmt.Sprintf("%x", value)} {
		if strings.Contains(low, strings.ToLower(form)) {
			t.Errorf("printed as %q:\n%s", form, low)
		}
	}
	if s.Reveal() != value || fmt.Sprint(wire.Secret("")) != "" {
		t.Error("a secret must reveal itself, and be nothing where it is empty")
	}
}

func TestAKeyIsTrimmedOrRefusedByItsVariable(t *testing.T) {
	t.Parallel()
	rows := map[string]struct{ text, want, err string }{
		"plain":         {"sk-1", "sk-1", ""},
		"line end":      {" sk-1\r\n", "sk-1", ""},
		"quotes":        {`"sk-1"`, "sk-1", ""},
		"with the word": {"Bearer sk-1", "sk-1", ""},
		"BOM":           {"\ufeffsk-1", "sk-1", ""},
		"empty":         {"\n", "", "key in MY_KEY is empty"},
		"two lines":     {"sk-1\nsk-2", "", "key in MY_KEY holds a line end at byte 5 of 9: a key is one word of letters, digits and signs"},
		"space":         {"sk 1", "", "key in MY_KEY holds a space at byte 3 of 4: a key is one word of letters, digits and signs"},
		"no ASCII":      {"sk-é", "", "key in MY_KEY holds a character that is not ASCII at byte 4 of 5: a key is one word of letters, digits and signs"},
		"control":       {"sk\x01", "", "key in MY_KEY holds the control character 0x01 at byte 3 of 3: a key is one word of letters, digits and signs"},
	}
	for name, r := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := wire.ParseSecret("MY_KEY", r.text)
			text := ""
			if err != nil {
				text = err.Error()
			}
			if diff := cmp.Diff([]string{r.want, r.err}, []string{got.Reveal(), text}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestARedactorTakesOutEveryFormOfASecret(t *testing.T) {
	t.Parallel()
	const key, odd, basic = "abcd/efgh+1234", `p"a<s&s w\rd`, "Basic dXNlcjpodW50ZXIyMDAw"
	r := wire.NewRedactor(key, odd, basic, "", "EMPTY", "tok1", "x", "Bearer zyxw7uts")
	b64 := base64.StdEncoding.EncodeToString
	inJSON, err := json.Marshal(odd)
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{
		key, url.QueryEscape(key), url.PathEscape(key), `abcd\/efgh+1234`, b64([]byte(key)), b64([]byte(":" + key)), odd, url.QueryEscape(odd), string(inJSON),
		basic, "dXNlcjpodW50ZXIyMDAw", "hunter2000", "user:hunter2000", "tok1", `\ntok1`, "zyxw7uts", "Bearer zyxw7uts",
	} {
		got := r.String("before " + form + " after " + form)
		for _, part := range []string{strings.Trim(form, `"`), "efgh", "hunter", "tok1", "zyxw7"} {
			if strings.Contains(got, part) {
				t.Errorf("%q is left in %q", part, got)
			}
		}
		if !strings.HasPrefix(got, "before ") || !strings.Contains(got, "[redacted]") || !strings.Contains(got, " after ") {
			t.Errorf("%q became %q", form, got)
		}
	}
	for _, text := range []string{"", "EMPTY x none", "mytok1 tok12 tok1_a", `{"a":1}`} {
		if got := r.String(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestWhatLooksLikeAKeyIsTakenOutUnasked(t *testing.T) {
	t.Parallel()
	var r wire.Redactor
	for text, want := range map[string]string{
		"Authorization: Bearer abcdefghij0123456789.x": "Authorization: Bearer [redacted]",
		"authorization: basic dXNlcjpodW50ZXIyMDAw":    "authorization: basic [redacted]",
		`{"k":"sk-proj-abcdefghij012345"}`:             `{"k":"sk-[redacted]"}`,
		`x\nsk-abcdefghij01234567`:                     `x\nsk-[redacted]`,
		"sk-abcdefghij01234567":                        "sk-[redacted]",
		"api-key: 0123456789abcdef0123":                "api-key: [redacted]",
		`"api_key":"0123456789abcdef0123"`:             `"api_key":"[redacted]"`,
		"?apikey=0123456789abcdef0123&x=1":             "?apikey=[redacted]&x=1",
		"the bearer arrangements-are-settled":          "the bearer arrangements-are-settled",
		"task-management-is-risk-assessment-2026":      "task-management-is-risk-assessment-2026",
		"queue desk-easy-and-some-more-words1":         "queue desk-easy-and-some-more-words1",
		"set api_key: AZURE_OPENAI_API_KEY":            "set api_key: AZURE_OPENAI_API_KEY",
	} {
		if got := r.String(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	var none *wire.Redactor
	if got := none.String("sk-abcdefghij01234567"); got != "sk-[redacted]" {
		t.Errorf("no redactor gives %q", got)
	}
}

func FuzzRedactor(f *testing.F) {
	f.Add("secret-value-1", `a "secret-value-1" b`)
	f.Add("tok1", `\ntok1`)
	f.Fuzz(func(t *testing.T, secret, text string) {
		r := wire.NewRedactor(wire.Secret(secret))
		secret = strings.TrimSpace(secret)
		// What the mark itself holds cannot be told from it.
		if got := r.String(text); len(secret) >= 8 && strings.ContainsAny(secret, "0123456789") && strings.Contains(got, secret) {
			t.Errorf("%q is left in %q", secret, got)
		}
	})
}
