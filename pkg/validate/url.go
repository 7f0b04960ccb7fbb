package validate

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/triagebench/triage/pkg/client"
	"github.com/triagebench/triage/pkg/triage"
)

// ServerOptions say how a server is checked.
type ServerOptions struct {
	// Token is sent as a bearer token; Header are further headers of every request.
	Token  string
	Header http.Header
	// Actions are what the episodes send, in turn; where there is none, actions are made from the server's schema.
	Actions []json.RawMessage
	// Seed is the seed of the episodes, 0 … 2^62.
	Seed int64
	// Timeout bounds a connection, each wait for a part of an answer, and each answer to a frame; 0 means 5 s.
	Timeout time.Duration
}

const (
	defaultWait = 5 * time.Second
	// maxBytes is how much is read from a server in all.
	maxBytes = 8 << 20
	// maxRedirects is how many redirections a request follows.
	maxRedirects = 30
	// ceiling bounds a whole answer, however slowly it drips, in waits.
	ceiling = 12
)

// server is a server that is being checked.
type server struct {
	ServerOptions
	address client.Address
	http    *http.Client
	left    atomic.Int64 // bytes that may still be read
	schema  map[string]any
	ours    bool // it says of its episodes what ours do
	actor   actor
}

// URL checks a server: what it publishes, by the criteria of the OpenEnv package's validator and with their ids, and how it
// plays episodes over /ws. An error has CodeUsage (the address) or CodeUnavailable (nobody answers there), or says that ctx
// ended.
func URL(ctx context.Context, address string, o ServerOptions) ([]triage.Check, error) {
	a, err := client.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	s := newServer(a, o)
	first := s.get(ctx, "/openapi.json")
	if unreached(first.err) {
		return nil, &triage.Error{Code: triage.CodeUnavailable, Message: "reach " + a.String(), Err: first.err}
	}
	out := s.criteria(ctx, first)
	out = append(out, s.episodes(ctx)...)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return out, nil
}

func newServer(a client.Address, o ServerOptions) *server {
	if o.Timeout <= 0 {
		o.Timeout = defaultWait
	}
	s := &server{ServerOptions: o, address: a}
	s.left.Store(maxBytes)
	dialer := &net.Dialer{Timeout: o.Timeout}
	s.http = &http.Client{
		CheckRedirect: func(_ *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return errRedirects
			}
			return nil
		},
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, TLSHandshakeTimeout: o.Timeout,
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := dialer.DialContext(ctx, network, address)
				if err != nil {
					return nil, err
				}
				return &impatient{conn, o.Timeout}, nil
			}},
	}
	return s
}

var (
	errRedirects = errors.New("too many redirections")
	errBudget    = errors.New("more than 8 MiB were sent in all")
)

// impatient is a connection that ends when nothing comes for a while.
type impatient struct {
	net.Conn
	wait time.Duration
}

// Read reads what comes within the wait.
func (c *impatient) Read(p []byte) (int, error) {
	timer := time.AfterFunc(c.wait, func() { _ = c.SetReadDeadline(time.Unix(1, 0)) }) // long ago: the read ends
	defer timer.Stop()
	return c.Conn.Read(p)
}

// unreached tells whether an error means that nobody answers at an address.
func unreached(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &dns) || errors.As(err, &op) && op.Op == "dial"
}
