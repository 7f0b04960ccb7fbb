package agent

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// member makes a word, or with "*" a beginning of words, have a symbol.
func (c *compiler) member(w string, symbol uint16) error {
	text, begins, err := checkWord(w)
	if err != nil {
		return err
	}
	if begins {
		c.addPrefix(text, symbol)
		return nil
	}
	n, ok := c.vocab[text]
	if !ok {
		n = c.newWord(text)
	}
	c.link(n, symbol)
	return nil
}

// checkWord refuses what no word of a text can be.
func checkWord(w string) (text string, begins bool, err error) {
	text, begins = strings.CutSuffix(w, "*")
	for i := range len(text) {
		if ch := text[i]; (ch < 'a' || ch > 'z') && !isDigit(ch) && ch < utf8.RuneSelf {
			return "", false, fmt.Errorf("%q is not a word in lower case", w)
		}
	}
	if text == "" {
		return "", false, errors.New("a word is empty")
	}
	if begins && len(text) < prefixKey {
		return "", false, fmt.Errorf("%q is too short for a beginning", w)
	}
	return text, begins, nil
}

func (c *compiler) addPrefix(text string, symbol uint16) {
	key := text[:prefixKey]
	for i := range c.prefixes[key] {
		if p := &c.prefixes[key][i]; p.text == text {
			p.symbols = append(p.symbols, symbol)
			return
		}
	}
	c.prefixes[key] = append(c.prefixes[key], prefix{text: text, symbols: []uint16{symbol}})
}

// newWord numbers a word that is not known yet.
func (c *compiler) newWord(w string) int32 {
	n := int32(len(c.heads))
	c.vocab[w] = n
	c.heads, c.own = append(c.heads, none), append(c.own, 0)
	return n
}

// link makes a known word have a symbol.
func (c *compiler) link(word int32, symbol uint16) {
	c.links = append(c.links, link{symbol, c.heads[word]})
	c.heads[word] = int32(len(c.links) - 1)
}

// symbolOf gives the symbol of a class, a beginning or a word.
func (c *compiler) symbolOf(w string) (uint16, error) {
	if class, ok := strings.CutPrefix(w, "$"); ok {
		if symbol, ok := c.classes[class]; ok {
			return symbol, nil
		}
		return 0, fmt.Errorf("there is no class %q", class)
	}
	if strings.HasSuffix(w, "*") {
		symbol, ok := c.begins[w]
		if !ok {
			symbol = c.newSymbol()
			c.begins[w] = symbol
			return symbol, c.member(w, symbol)
		}
		return symbol, nil
	}
	n, ok := c.vocab[w]
	if ok && c.own[n] != 0 {
		return c.own[n], nil
	}
	if !ok {
		if _, _, err := checkWord(w); err != nil {
			return 0, err
		}
		n = c.newWord(w)
	}
	c.own[n] = c.newSymbol()
	c.link(n, c.own[n])
	return c.own[n], nil
}
