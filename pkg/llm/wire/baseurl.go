package wire

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// ParseBaseURL reads the base URL of an endpoint as people type it. Space, quotes and slashes at the end are cut, and so
// is a pasted /chat/completions. Without a scheme it is https, but http for this machine and for private networks: localhost,
// private and loopback addresses, names without a dot, *.local and the like. 0.0.0.0, which servers print, is taken for
// 127.0.0.1. Where there is no path, /v1 is added, but not for Azure (by its host names or an api-version in the query) and
// not where the whole path of the chat completions was pasted: paste it to have none. The query is kept (see [SplitQuery]),
// a fragment is not. A URL that holds a user or password is refused: keys stand in variables.
func ParseBaseURL(text string) (*url.URL, error) {
	s := strings.TrimSpace(text)
	if n := len(s); n >= 2 && strings.IndexByte("\"'`", s[0]) >= 0 && s[n-1] == s[0] {
		s = strings.TrimSpace(s[1 : n-1])
	}
	if strings.Contains(s, "@") && !strings.Contains(strings.SplitN(s, "@", 2)[0], "?") {
		return nil, fmt.Errorf("base URL holds a user or password before @: keys and passwords must come from a variable or a header")
	}
	refuse := func(why string) error {
		return fmt.Errorf("base URL %q: %s (allowed: https://host[:port][/path], or host[:port])", cut(CleanText(s), 200), why)
	}
	switch {
	case s == "":
		return nil, refuse("it is empty")
	case strings.ContainsAny(s, " \t\r\n"):
		return nil, refuse("it holds a space")
	}
	u, err := url.Parse(withScheme(s))
	if err != nil {
		return nil, refuse("it is no URL")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, refuse("the scheme must be http or https")
	}
	if why := checkHost(u); why != "" {
		return nil, refuse(why)
	}
	u.Fragment, u.RawFragment, u.User = "", "", nil
	path, pasted := cutEndpoint(u.Path)
	if path == "" && !pasted && !azure(u) {
		path = "/v1"
	}
	u.Path, u.RawPath = path, ""
	return u, nil
}

// withScheme puts a scheme before what has none.
func withScheme(s string) string {
	if strings.Contains(s, "://") && !strings.HasPrefix(s, "://") {
		if i := strings.Index(s, "://"); !strings.ContainsAny(s[:i], "/?.") {
			return s
		}
	}
	if rest, ok := strings.CutPrefix(s, "://"); ok {
		s = rest
	}
	s = strings.TrimPrefix(s, "//")
	authority, _, _ := strings.Cut(s, "/")
	authority, _, _ = strings.Cut(authority, "?")
	if a, err := netip.ParseAddr(authority); err == nil && a.Is6() {
		s = "[" + authority + "]" + s[len(authority):]
		authority = "[" + authority + "]"
	}
	if near(authority) {
		return "http://" + s
	}
	return "https://" + s
}

// near tells whether a host, with or without a port, is this machine or in a network of its own.
func near(authority string) bool {
	host := authority
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		host = host[:i]
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	if a, err := netip.ParseAddr(host); err == nil {
		return a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsUnspecified()
	}
	if !strings.Contains(host, ".") {
		return true
	}
	for _, end := range []string{".local", ".localhost", ".internal", ".lan", ".home.arpa", ".test"} {
		if strings.HasSuffix(host, end) {
			return true
		}
	}
	return false
}

// checkHost puts the host in its usual form and says what is wrong with it, if anything.
func checkHost(u *url.URL) string {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if host == "" {
		return "it names no host"
	}
	for _, r := range host {
		if r >= 0x80 || strings.ContainsRune("<>{}$|\\^`\"'*!()=,;%", r) {
			return fmt.Sprintf("the host cannot hold %q", r)
		}
	}
	if strings.HasPrefix(host, ".") || strings.Contains(host, "..") {
		return "the host has an empty part"
	}
	if strings.HasSuffix(u.Host, ":") {
		return "the port is missing after the colon"
	}
	if port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return "the port must be 1 to 65535, not " + port
		}
	}
	switch host {
	case "0.0.0.0":
		host = "127.0.0.1"
	case "::":
		host = "::1"
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" {
		host += ":" + port
	}
	u.Host = host
	return ""
}

// cutEndpoint cuts slashes at the end and the path of the chat completions, and tells whether that was there.
func cutEndpoint(path string) (string, bool) {
	path = strings.TrimRight(path, "/")
	for _, end := range []string{"/chat/completions", "/completions"} {
		if base, ok := strings.CutSuffix(path, end); ok {
			return strings.TrimRight(base, "/"), true
		}
	}
	return path, false
}

func azure(u *url.URL) bool {
	for _, end := range []string{".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com", ".azure-api.net"} {
		if strings.HasSuffix(u.Hostname(), end) {
			return true
		}
	}
	return u.Query().Has("api-version")
}

// SplitQuery gives a base URL without its query, as the client library wants it, and the query for [Transport.Query].
func SplitQuery(u *url.URL) (base, query string) {
	bare := *u
	bare.RawQuery, bare.ForceQuery, bare.Fragment, bare.RawFragment = "", false, "", ""
	return strings.TrimRight(bare.String(), "/"), u.RawQuery
}

// secretNames are query parameters whose values are secret.
var secretNames = []string{"key", "api_key", "api-key", "apikey", "access_token", "token", "sig", "signature", "code", "subscription-key", "secret", "password"}

// CleanURL gives a URL that may be written: user and password are left out, and so are the values of query parameters that
// hold keys.
func CleanURL(u *url.URL) string {
	if u.User == nil && u.RawQuery == "" && u.Fragment == "" {
		return u.String()
	}
	clean := *u
	clean.User, clean.Fragment, clean.RawFragment = nil, "", ""
	clean.RawQuery = cleanQuery(u.RawQuery)
	return clean.String()
}

// CleanText does the same as [CleanURL] for a text that may be no URL.
func CleanText(s string) string {
	front, query, ok := strings.Cut(s, "?")
	if !ok {
		return s
	}
	return front + "?" + cleanQuery(query)
}

func cleanQuery(query string) string {
	if query == "" {
		return ""
	}
	parts := strings.Split(query, "&")
	for i, p := range parts {
		name, _, ok := strings.Cut(p, "=")
		if plainName, err := url.QueryUnescape(name); err == nil && ok && slices.Contains(secretNames, strings.ToLower(plainName)) {
			parts[i] = name + "=" + redacted
		}
	}
	return strings.Join(parts, "&")
}
