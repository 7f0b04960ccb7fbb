package redact

import "strings"

// coded looks at a word that has digits or is short for what is made of letters and digits: IBANs, national ids, account numbers, postcodes.
func (c *scan) coded(i, j, digits, letters int) (int, Kind) {
	s := c.s
	if end := c.iban(i); end > 0 {
		return end, IBAN
	}
	if c.url > i || glued(s, i) {
		return 0, 0
	}
	if letters > 0 && digits > 0 || letters <= 2 {
		if end := c.nationalCode(i, j, digits, letters); end > 0 {
			return end, NationalID
		}
	}
	if end := c.accountCode(i, j, letters); end > 0 {
		return end, Account
	}
	return 0, 0
}

// ibanLengths are the lengths of the IBANs of the countries that have them (registry of ISO 13616).
const ibanLengths = "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BR29BY28CH21CR22CY28CZ24DE22DK18DO28EE20EG29ES24FI18FO18FR27GB22GE22GI23GL18GR27GT28" +
	"HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MR27MT31MU30NL18NO15PK24PL28PS29PT25QA29RO24" +
	"RS22SA24SC31SD18SE24SI19SK24SM27ST25SV28TL23TN24TR26UA29VA22VG24XK20"

// iban tells where an IBAN that begins at i ends, 0 if there is none: its country's length and a right check (ISO 7064, mod 97-10). After
// the word IBAN the check is not asked for.
func (c *scan) iban(i int) int {
	s := c.s
	if i+15 > len(s) || !isLetter(s[i]) || !isLetter(s[i+1]) || !isDigit(s[i+2]) || !isDigit(s[i+3]) {
		return 0
	}
	country := string([]byte{s[i] &^ 0x20, s[i+1] &^ 0x20})
	length := 0
	for k := 0; k < len(ibanLengths); k += 4 {
		if ibanLengths[k:k+2] == country {
			length = int(ibanLengths[k+2]-'0')*10 + int(ibanLengths[k+3]-'0')
		}
	}
	rest, n := 0, 0
	var text [34]byte
	k := i
	for k < len(s) && n < length {
		b := s[k]
		switch {
		case isLetter(b):
			b &^= 0x20
			fallthrough
		case isDigit(b):
			text[n] = b
			n++
		case (b == ' ' || b == '-') && k+1 < len(s) && (isDigit(s[k+1]) || isLetter(s[k+1])):
		default:
			return 0
		}
		k++
	}
	if n < length || length == 0 || !edge(s, k) {
		return 0
	}
	for m := range n {
		b := text[(m+4)%n]
		if isDigit(b) {
			rest = (rest*10 + int(b-'0')) % 97
		} else {
			rest = (rest*100 + int(b-'A') + 10) % 97
		}
	}
	if rest != 1 && (c.cue != cueAccount || c.previous != "iban") {
		return 0
	}
	return k
}

// national gives the last group of a national id in figures, -1 if there is none: US social security numbers by their form, Brazilian
// CPFs by their check digits, others where a word says so.
func (c *scan) national(g *groups) int {
	s := c.s
	if c.cue == cueOther {
		return -1
	}
	if g.shape(3, 2, 4) && g.free(s, 2) && (g.between(2, "-") || c.cue == cueNational && g.between(2, " ", ".")) {
		if area := g.value(0); area != 0 && area != 666 && area < 900 && g.value(1) != 0 && g.value(2) != 0 || c.cue == cueNational {
			return 2
		}
	}
	if g.shape(3, 3, 3, 2) && g.free(s, 3) && g.sep[1] == "." && g.sep[2] == "." && g.sep[3] == "-" && cpf(g.text(3)) {
		return 3
	}
	if c.cue != cueNational {
		return -1
	}
	for k := g.n - 1; k >= 0; k-- {
		if g.free(s, k) && g.total[k] >= 7 && g.total[k] <= 15 {
			return k
		}
	}
	return -1
}

// cpf tells whether the last two of eleven digits check the others (mod 11).
func cpf(d string) bool {
	for last := 9; last < 11; last++ {
		sum := 0
		for k := range last {
			sum += int(d[k]-'0') * (last + 1 - k)
		}
		if sum*10%11%10 != int(d[last]-'0') {
			return false
		}
	}
	return true
}

// nationalCode tells where a national id of letters and digits that begins at i ends, 0 if there is none: British national insurance
// numbers, Spanish DNI and NIE by their check letter, others where a word says so.
func (c *scan) nationalCode(i, j, digits, letters int) int {
	s := c.s
	if end := insurance(s, i); end > 0 {
		return end
	}
	if j-i == 9 && digits >= 7 && spanish(strings.ToUpper(s[i:j])) {
		return j
	}
	if c.cue == cueNational && digits >= 5 && j-i >= 7 && j-i <= 20 && letters > 0 {
		return j
	}
	return 0
}

// insurance tells where a number such as QQ 12 34 56 C that begins at i ends, 0 if there is none.
func insurance(s string, i int) int {
	k, n := i, 0
	for k < len(s) && n < 9 {
		b := s[k]
		switch {
		case b == ' ' && n > 0 && n%2 == 0:
			k++
			continue
		case (n < 2 || n == 8) && isUpper(b), n >= 2 && n < 8 && isDigit(b):
			n++
			k++
			continue
		}
		return 0
	}
	if n < 9 || !edge(s, k) || s[k-1] > 'D' || strings.IndexByte("DFIUV", s[i]) >= 0 || strings.IndexByte("DFIUVO", s[i+1]) >= 0 {
		return 0
	}
	return k
}

// spanish tells whether the last letter of a DNI or NIE checks the digits (mod 23).
func spanish(code string) bool {
	if k := strings.IndexByte("XYZ", code[0]); k >= 0 {
		code = string(rune('0'+k)) + code[1:]
	}
	n := 0
	for k := range 8 {
		if !isDigit(code[k]) {
			return false
		}
		n = n*10 + int(code[k]-'0')
	}
	return code[8] == "TRWAGMYFPDXBNJZSQVHLCKE"[n%23]
}

// accountCode tells where an account's number with letters (AC-99812) that begins at i ends, 0 if it is not called one.
func (c *scan) accountCode(i, j, letters int) int {
	if c.cue != cueAccount || !c.named || letters == 0 {
		return 0
	}
	s := c.s
	k, digits := j, 0
	for k < len(s) && s[k] == '-' && k+1 < len(s) && isWord[s[k+1]] && k-i < 30 {
		k, _, _ = wordEnd(s, k+1)
	}
	for m := i; m < k; m++ {
		if isDigit(s[m]) {
			digits++
		} else if s[m] >= 0x80 {
			return 0
		}
	}
	if digits < 4 || k-i > 34 || !edge(s, k) {
		return 0
	}
	return k
}
