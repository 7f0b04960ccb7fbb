package redact

import "strings"

// location reads a URL whose host begins at i: the user and password before it are a secret, and from here on to its end the
// scan looks for less. It gives where to go on.
func (c *scan) location(i int) int {
	const longest = 4096
	s := c.s
	c.forget()
	if c.url > i { // a URL in a URL
		return i
	}
	end, host := i, 0
	for end < len(s) && end-i < longest && s[end] > ' ' && s[end] < 0x7f && strings.IndexByte("\"'<>`|\\^", s[end]) < 0 && placeholderAt(s, end) == 0 {
		if host == 0 && strings.IndexByte("/?#", s[end]) >= 0 {
			host = end
		}
		end++
	}
	if host == 0 {
		host = end
	}
	c.url = end
	if at := strings.LastIndexByte(s[i:host], '@'); at > 0 {
		user, _, _ := strings.Cut(s[i:i+at], ":")
		// ssh://git@host names no person and holds no secret.
		if at > len(user) || !notUser[strings.ToLower(user)] {
			c.add(i, i+at, URLSecret)
		}
		i += at + 1
	}
	c.segments(host, end)
	return i
}

// notUser are user names of services.
var notUser = set("git www ftp anonymous root admin user svn hg")

// opening are words in a path after which a long random part lets somebody in.
var opening = set(`reset invite invites invitation confirm confirmation verify verification magic token tokens webhook webhooks services
	activate activation unsubscribe share shared s auth login session sessions password join accept download signed key keys hooks otp set-password
	reset-password resetpassword password-reset accept-invite`)

// segments finds the parts of a path that let somebody in: long and random, after a word of opening, or in a webhook's address.
func (c *scan) segments(i, end int) {
	s := c.s
	if stop := strings.IndexAny(s[i:end], "?#"); stop >= 0 {
		end = i + stop
	}
	open := false
	for i < end {
		stop := strings.IndexByte(s[i:end], '/')
		if stop < 0 {
			stop = end - i
		}
		part := s[i : i+stop]
		v := valueOf(s, i, i+stop)
		random := len(part) >= 16 && v.digits >= 2 && v.lowers+v.uppers >= 4 && v.signs*8 <= len(part)
		if open && random && !strings.Contains(part, "@") && !strings.Contains(part, "%40") {
			from, to := i, trimPunctuation(s, i, i+stop)
			c.spans = append(c.spans, span{from, to, URLSecret})
		}
		open = open || opening[strings.ToLower(part)]
		i += stop + 1
	}
}

func trimPunctuation(s string, start, end int) int {
	for end > start && strings.IndexByte(".,;:)]}!?'", s[end-1]) >= 0 {
		end--
	}
	return end
}
