package agent

import "testing"

func TestATextIsShownAsItCame(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "Grüße,\n\n\tAda 🖨️ <b>&amp;</b> \"x\" \\n {{.}}", "Grüße,\n\n\tAda 🖨️ <b>&amp;</b> \"x\" \\n {{.}}"},
		{"CR LF", "a\r\n\r\nb", "a\n\nb"},
		{"control characters", "a\x00b\x1bc\rd\u0085e\x7f", "a b c d e "},
		{"no UTF-8", "a\xffb", "a\uFFFDb"},
	} {
		if got := plainText(tt.in); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := oneLine("a\nb\r\nc\u2028d"); got != "a b c d" {
		t.Errorf("one line: %q", got)
	}
}
