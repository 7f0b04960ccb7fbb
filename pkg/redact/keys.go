package redact

import "strings"

// keyForm is a form that keys of one maker have: a beginning, and then at least least bytes of letters, digits and also.
type keyForm struct {
	begin string
	least int
	also  string
}

// keyForms are the forms of well-known makers, as their documents show them.
var keyForms = []keyForm{
	{"AKIA", 16, ""}, {"ASIA", 16, ""}, {"AIza", 35, "-_"}, {"AGE-SECRET-KEY-1", 20, ""},
	{"ghp_", 30, "_"}, {"gho_", 30, "_"}, {"ghu_", 30, "_"}, {"ghs_", 30, "_"}, {"ghr_", 30, "_"}, {"github_pat_", 30, "_"},
	{"glpat-", 18, "-_"}, {"gldt-", 18, "-_"},
	{"sk_live_", 10, "_"}, {"sk_test_", 10, "_"}, {"rk_live_", 10, "_"}, {"rk_test_", 10, "_"}, {"pk_live_", 10, "_"},
	{"pk_test_", 10, "_"}, {"whsec_", 16, "_+/="}, {"sk-", 20, "-_"},
	{"xoxb-", 16, "-"}, {"xoxp-", 16, "-"}, {"xoxa-", 16, "-"}, {"xoxr-", 16, "-"}, {"xoxs-", 16, "-"}, {"xapp-", 16, "-"},
	{"npm_", 30, ""}, {"pypi-", 40, "-_"}, {"hf_", 30, ""}, {"dop_v1_", 40, ""}, {"shpat_", 28, ""}, {"shpss_", 28, ""},
	{"SG.", 40, "-_."}, {"ya29.", 20, "-_"}, {"EAACEdEose0cBA", 10, ""}, {"lin_api_", 30, ""}, {"PMAK-", 40, "-"},
	{"dckr_pat_", 20, "-_"}, {"hvs.", 20, "-_"}, {"tfp_", 30, ""}, {"sq0atp-", 20, "-_"}, {"sq0csp-", 30, "-_"},
	{"AccountKey=", 40, "+/="}, {"eyJ", 20, "-_."},
}

// keysBy are the forms by their first byte.
var keysBy = func() (t [256][]keyForm) {
	for _, f := range keyForms {
		t[f.begin[0]] = append(t[f.begin[0]], f)
	}
	return t
}()

// keyAt tells where a key of a well-known form that begins at i ends, 0 if none does. None begins within a run that dots and hyphens
// join, so that no run is read twice.
func keyAt(s string, i int) int {
	if len(keysBy[s[i]]) == 0 || i >= 2 && (s[i-1] == '-' || s[i-1] == '.') && isWord[s[i-2]] {
		return 0
	}
	const longest = 512 // but for JSON Web Tokens
	for _, f := range keysBy[s[i]] {
		if !strings.HasPrefix(s[i:], f.begin) {
			continue
		}
		k := i + len(f.begin)
		from, digits := k, 0
		for k < len(s) && (k-from < longest || f.begin == "eyJ") && (isDigit(s[k]) || isLetter(s[k]) || f.also != "" && strings.IndexByte(f.also, s[k]) >= 0) {
			if isDigit(s[k]) {
				digits++
			}
			k++
		}
		for k > from && (s[k-1] == '.' || s[k-1] == '-') {
			k--
		}
		if k-from < f.least || !edge(s, k) || digits == 0 && f.begin == "sk-" {
			continue
		}
		if f.begin == "eyJ" && strings.Count(s[i:min(k, i+1<<14)], ".") < 1 {
			continue // a JSON Web Token has two dots, a part of one at least one
		}
		return k
	}
	return 0
}

// privateKey tells where a PEM block that begins at i ends, 0 if none that is private does. One that is cut off ends with the last line
// that can be of it.
func privateKey(s string, i int) int {
	const begin, end = "-----BEGIN ", "-----END "
	if !strings.HasPrefix(s[i:], begin) {
		return 0
	}
	head := s[i:min(len(s), i+80)]
	stop := strings.Index(head[len(begin):], "-----")
	if stop < 0 || !strings.Contains(head[:len(begin)+stop], "PRIVATE KEY") {
		return 0
	}
	k := i + len(begin) + stop + 5
	for k < len(s) {
		switch b := s[k]; {
		case isDigit(b) || isLetter(b) || strings.IndexByte("+/=\r\n \t:,\\", b) >= 0:
			k++
		case strings.HasPrefix(s[k:], end):
			line := s[k:min(len(s), k+80)]
			if stop := strings.Index(line[len(end):], "-----"); stop >= 0 {
				return k + len(end) + stop + 5
			}
			return k + len(end)
		case b == '-' && !strings.HasPrefix(s[k:], "--"):
			k++
		default:
			return trimmed(s, i, k)
		}
	}
	return trimmed(s, i, k)
}

// trimmed moves an end before white space.
func trimmed(s string, start, end int) int {
	for end > start && strings.IndexByte(" \t\r\n", s[end-1]) >= 0 {
		end--
	}
	return end
}

// secret finds the value that follows a cue for one: it ends at after, and the value may stand behind a colon, an equals sign
// or "is".
func (c *scan) secret(after int, q cue) (start, end int, k Kind) {
	if q != cuePassword && q != cueToken && q != cueCode && q != cueBearer {
		return 0, 0, 0
	}
	s := c.s
	if after < c.refused {
		return 0, 0, 0
	}
	i, strong, ok := assigned(s, after)
	if !ok && q != cueBearer && q != cueCode {
		return 0, 0, 0
	}
	if !ok {
		i = skip(s, after, " \t")
	}
	quote := byte(0)
	if i < len(s) && strings.IndexByte("\"'`", s[i]) >= 0 {
		quote = s[i]
		i++
	}
	end = c.valueEnd(i, quote)
	if end-i < 3 || placeholderAt(s, i) > 0 {
		return 0, 0, 0
	}
	v := valueOf(s, i, end)
	v.strong, v.quoted = strong, quote != 0 && end < len(s) && s[end] == quote
	if c.url > after {
		v.strong = true
		k = URLSecret
	} else {
		k = Secret
	}
	if !v.is(q, k == URLSecret) || !ok && q == cueCode && v.digits < len(v.text) {
		c.refused = end
		return 0, 0, 0
	}
	return i, end, k
}

// assigned looks for a colon, an equals sign or a word such as "is" after a cue; strong tells that it is a sign.
func assigned(s string, i int) (at int, strong, ok bool) {
	i = skip(s, i, "\"'`*) \t]")
	from := i
	i = skip(s, i, ":=>")
	if i > from {
		return skip(s, i, " \t"), true, i-from <= 3
	}
	for _, word := range []string{"is now ", "is ", "was ", "ist ", "lautet ", "est ", "es "} {
		if len(s)-i > len(word) && strings.EqualFold(s[i:i+len(word)], word) {
			at = skip(s, i+len(word), " \t")
			if at < len(s) && s[at] == ':' {
				at = skip(s, at+1, " \t")
			}
			return at, false, true
		}
	}
	return 0, false, false
}

func skip(s string, i int, set string) int {
	for n := 0; i < len(s) && n < 8 && strings.IndexByte(set, s[i]) >= 0; n++ {
		i++
	}
	return i
}

// valueEnd tells where a value that begins at i ends: at white space or the closing quote; in a URL at what ends a parameter.
func (c *scan) valueEnd(i int, quote byte) int {
	const longest = 4096
	s := c.s
	k := i
	for k < len(s) && k-i < longest {
		b := s[k]
		if b == '\n' || b == '\r' || b == quote && quote != 0 || placeholderAt(s, k) > 0 {
			break
		}
		if quote == 0 && strings.IndexByte(" \t\"`<>", b) >= 0 || c.url > i && (k >= c.url || strings.IndexByte("&#;/?", b) >= 0) {
			break
		}
		if quote == 0 && (b == '&' || b == ';') && k-i >= 6 {
			break
		}
		k++
	}
	if quote != 0 && k < len(s) && s[k] == quote {
		return k
	}
	for k > i && strings.IndexByte(".,;:)]}'", s[k-1]) >= 0 {
		k--
	}
	if quote != 0 { // never closed: one word
		if space := strings.IndexAny(s[i:k], " \t"); space >= 0 {
			k = i + space
		}
	}
	for k > i && k < len(s) && s[k]&0xC0 == 0x80 { // not within a rune
		k--
	}
	return k
}
