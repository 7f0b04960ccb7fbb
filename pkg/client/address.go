package client

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// Address is where a server answers: a scheme, a host and perhaps a path.
type Address struct{ base url.URL }

// ParseAddress reads the address of a server: http, https, ws or wss, or a host and port alone. A path is kept, without the
// slashes at its end. Queries and fragments are refused.
func ParseAddress(text string) (Address, error) {
	asked := strings.TrimSpace(text)
	if !strings.Contains(asked, "://") {
		asked = "http://" + asked
	}
	u, err := url.Parse(asked)
	if err != nil {
		return Address{}, bad(text, "it cannot be read")
	}
	switch u.Scheme {
	case "ws":
		u.Scheme = "http"
	case "wss":
		u.Scheme = "https"
	case "http", "https":
	default:
		return Address{}, bad(text, "its scheme must be http, https, ws or wss")
	}
	switch {
	case u.Hostname() == "":
		return Address{}, bad(text, "it names no host")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return Address{}, bad(text, "it must end with the path")
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	return Address{*u}, nil
}

func bad(text, why string) error {
	return &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf("address %q: %s, as in http://127.0.0.1:7860", text, why)}
}

// String gives the address without a password.
func (a Address) String() string { return a.base.Redacted() }

// HTTP gives the address of a path, which begins with a slash.
func (a Address) HTTP(path string) string {
	u := a.base
	u.Path += path
	return u.String()
}

// WebSocket gives the address of a path, which begins with a slash, for a WebSocket.
func (a Address) WebSocket(path string) string {
	u := a.base
	u.Scheme = "ws" + strings.TrimPrefix(u.Scheme, "http")
	u.Path += path
	return u.String()
}

// sockets lists the paths under which a server may serve a track: its own, which servers of ours have, and the root's.
func (a Address) sockets(track triage.Track) []string {
	own := "/" + string(track)
	if strings.HasSuffix(a.base.Path, own) {
		return []string{"/ws"}
	}
	return []string{own + "/ws", "/ws"}
}
