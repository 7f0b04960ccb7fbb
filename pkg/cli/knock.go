package cli

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"syscall"
	"time"
)

// knocking is a network that says, once for each address, that nothing listens there, as long as nobody there has answered yet. The
// request is tried again by who made it: a server that is just starting is normal, but who waits wants to know for what.
type knocking struct {
	inner http.RoundTripper
	again time.Duration // for which a request is tried again
	tell  func(format string, args ...any)
	hide  func(string) string // takes secrets out of what is told
	mu    sync.Mutex
	known map[string]bool // addresses that have answered, or of which it was said
}

// knock makes a network of an inner one whose requests are tried again for a while.
func (a *App) knock(inner http.RoundTripper, again time.Duration, hide func(string) string) *knocking {
	return &knocking{inner: inner, again: again, tell: a.tell, hide: hide, known: map[string]bool{}}
}

// RoundTrip sends one request.
func (k *knocking) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := k.inner.RoundTrip(r)
	if err != nil && !errors.Is(err, syscall.ECONNREFUSED) {
		return resp, err
	}
	address := shownAddress(r.URL)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known[address] {
		return resp, err
	}
	k.known[address] = true
	if err == nil {
		return resp, nil
	}
	who := ""
	if op := (*net.OpError)(nil); errors.As(err, &op) && op.Op == "proxyconnect" {
		who = "its proxy: "
	}
	k.tell("%s: %sconnection refused; trying again for %s", k.hide(address), who, k.again)
	return resp, err
}

// CloseIdleConnections closes those of the inner network.
func (k *knocking) CloseIdleConnections() { _ = hangUp(k.inner)() } // it gives no error

// shownAddress is an address without what may be secret in it.
func shownAddress(u *url.URL) string {
	plain := *u
	plain.User, plain.RawQuery, plain.ForceQuery, plain.Fragment, plain.RawFragment = nil, "", false, "", ""
	return plain.String()
}
