package server_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/server"
)

const token = "a-token-for-this-test"

// TestATokenIsNeededForAllButHealthAndPages goes through routes and sockets with tokens that are right, wrong and missing.
func TestATokenIsNeededForAllButHealthAndPages(t *testing.T) {
	t.Parallel()
	r := start(t, withTokens("another-token-there-is", token))
	routes := []struct {
		method, path, body string
		open               bool
	}{
		{"GET", "/health", "", true}, {"GET", "/queue/health", "", true}, {"GET", "/desk/health", "", true}, {"GET", "/health/", "", true},
		{"GET", "/", "", true}, {"GET", "/web", "", true}, {"GET", "/desk/web", "", true}, {"GET", "/web/", "", true}, {"GET", "/docs", "", true},
		{"GET", "/redoc", "", true}, {"GET", "/queue/docs", "", true},
		{"GET", "/metadata", "", false}, {"GET", "/schema", "", false}, {"GET", "/openapi.json", "", false}, {"GET", "/metrics", "", false},
		{"POST", "/reset", "{}", false}, {"POST", "/step", `{"action":{}}`, false}, {"GET", "/state", "", false}, {"POST", "/mcp", "{}", false},
		{"GET", "/list_environments", "", false}, {"POST", "/triage/tasks", `{"split":"train"}`, false}, {"POST", "/web/reset", "{}", false},
		{"GET", "/web/state", "", false}, {"GET", "/web/review", "", false}, {"GET", "/ws", "", false}, {"GET", "/nowhere", "", false},
		{"GET", "/health/x", "", false}, {"GET", "/healthx", "", false}, {"POST", "/desk/reset", "{}", false}, {"GET", "//health", "", false},
		{"GET", "/queue/../metrics", "", false},
	}
	bad := map[string]string{"none": "", "empty": "Bearer ", "no scheme": token, "another scheme": "Basic " + token, "another token": "Bearer another-token-there-is-not",
		"cut short": "Bearer " + token[:len(token)-1], "longer": "Bearer " + token + "x", "both": "Bearer " + token + ", another-token-there-is", "capitals": "Bearer " + strings.ToUpper(token)}
	for _, x := range routes {
		for name, value := range bad {
			a := r.do(x.method, x.path, x.body, "Authorization", value)
			if x.open {
				if a.Status == http.StatusUnauthorized {
					t.Errorf("%s %s with token %s: status 401", x.method, x.path, name)
				}
				continue
			}
			want := []string{"401 Unauthorized", `Bearer realm="triage"`, `{"detail":"this server needs a token: send the header Authorization: Bearer TOKEN"}`}
			if strings.HasPrefix(value, "Bearer ") && name != "empty" {
				want[2] = `{"detail":"this token is not known"}`
			}
			if d := cmp.Diff(want, []string{fmt.Sprint(a.Status, " ", http.StatusText(a.Status)), a.Header.Get("WWW-Authenticate"), a.Body}); d != "" {
				t.Errorf("%s %s with token %s (-want +got):\n%s", x.method, x.path, name, d)
			}
		}
		for _, value := range []string{"Bearer " + token, "bearer " + token, "Bearer   " + token} {
			if a := r.do(x.method, x.path, x.body, "Authorization", value); a.Status == http.StatusUnauthorized {
				t.Errorf("%s %s with %q: status 401", x.method, x.path, value)
			}
		}
	}
	for _, path := range []string{"/ws", "/mcp", "/desk/ws", "/ws?token=" + token, "/ws?session_id=x"} {
		for name, value := range bad {
			if s, status := r.dial(path, "Authorization", value); s != nil || status != http.StatusUnauthorized {
				t.Errorf("WS %s with token %s: status %d", path, name, status)
			}
		}
	}
	object(t, r.ws("/ws", "Authorization", "Bearer "+token).ask(`{"type":"reset"}`))
}

// TestPagesOfOtherSitesMayNotCall has every kind of origin.
func TestPagesOfOtherSitesMayNotCall(t *testing.T) {
	t.Parallel()
	const named = "https://example.org"
	remote := func(_ *server.Deps, o *server.Options) { o.Loopback = false }
	local, public := start(t, func(_ *server.Deps, o *server.Options) { o.Origins = []string{named, "http://other.example:8080"} }), start(t, remote)
	for _, x := range []struct {
		name    string
		r       *rig
		host    string
		origin  string
		forward string
		allowed bool
		shared  bool // the answer may be read by the page
	}{
		{"no page", local, "", "", "", true, false},
		{"a named one", local, "", named, "", true, true},
		{"another named one", local, "", "http://other.example:8080", "", true, true},
		{"a foreign one", local, "", "https://evil.example", "", false, false},
		{"a named host on another port", local, "", "https://example.org:8443", "", false, false},
		{"a named host without TLS", local, "", "http://example.org", "", false, false},
		{"what ends like a named one", local, "", "https://evil-example.org", "", false, false},
		{"what begins like a named one", local, "", named + ".evil.example", "", false, false},
		{"a file, or a sandbox", local, "", "null", "", false, false},
		{"nonsense", local, "", "://", "", false, false},
		{"this server's own", local, "localhost:7860", "http://localhost:7860", "", true, false},
		{"this server's own by address", local, "127.0.0.1:7860", "http://127.0.0.1:7860", "", true, false},
		{"this server's own by long address", local, "[::1]:7860", "http://[::1]:7860", "", true, false},
		{"another port of this machine", local, "localhost:7860", "http://localhost:3000", "", false, false},
		{"a foreign name that points here", local, "evil.example:7860", "http://evil.example:7860", "", false, false},
		{"a foreign host forwarded", local, "localhost:7860", "https://evil.example", "evil.example", false, false},
		{"a public server's own", public, "triage.example", "https://triage.example", "", true, false},
		{"a public server's own behind a proxy", public, "10.0.0.1:7860", "https://triage.example", "triage.example", true, false},
		{"another site's on a public server", public, "triage.example", "https://evil.example", "", false, false},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			var headers []string
			for _, h := range [][2]string{{"Host", x.host}, {"Origin", x.origin}, {"X-Forwarded-Host", x.forward}} {
				if h[1] != "" {
					headers = append(headers, h[0], h[1])
				}
			}
			for path, body := range map[string]string{"/reset": "{}", "/desk/reset": "{}", "/mcp": "{}", "/triage/num_tasks": `{"split":"train"}`, "/web/reset": ""} {
				a := x.r.do("POST", path, body, headers...)
				if (a.Status == 200) != x.allowed || !x.allowed && a.Status != http.StatusForbidden {
					t.Errorf("POST %s: status %d: %.200s", path, a.Status, a.Body)
				}
				got := []string{a.Header.Get("Access-Control-Allow-Origin"), a.Header.Get("Access-Control-Allow-Credentials"), a.Header.Get("Vary"), a.Header.Get("Access-Control-Expose-Headers")}
				want := []string{"", "", "", ""}
				if x.shared {
					want = []string{x.origin, "true", "Origin", "X-Triage-Session"}
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("POST %s: what the page may read (-want +got):\n%s", path, d)
				}
			}
			for _, path := range []string{"/ws", "/mcp", "/desk/ws"} {
				want := http.StatusForbidden
				if x.allowed {
					want = http.StatusSwitchingProtocols
				}
				if _, status := x.r.dial(path, headers...); status != want {
					t.Errorf("WS %s: status %d, want %d", path, status, want)
				}
			}
			preflight := x.r.do("OPTIONS", "/step", "", append(headers, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,content-type")...)
			want := map[bool]int{true: http.StatusNoContent, false: http.StatusForbidden}[x.shared]
			if x.allowed && !x.shared {
				want = http.StatusMethodNotAllowed
			}
			if preflight.Status != want || (preflight.Header.Get("Access-Control-Allow-Headers") == "Authorization, Content-Type, Mcp-Protocol-Version, Mcp-Session-Id, X-Triage-Session") != x.shared {
				t.Errorf("preflight: status %d, %v", preflight.Status, preflight.Header)
			}
		})
	}
}

// TestANamedOriginsPreflightNeedsNoToken since browsers send none with it; what follows does.
func TestANamedOriginsPreflightNeedsNoToken(t *testing.T) {
	t.Parallel()
	r := start(t, withTokens(token), func(_ *server.Deps, o *server.Options) { o.Origins = []string{"https://example.org"} })
	same(t, "preflight", 204, r.do("OPTIONS", "/step", "", "Origin", "https://example.org", "Access-Control-Request-Method", "POST").Status)
	a := r.do("POST", "/reset", "{}", "Origin", "https://example.org")
	same(t, "without a token", []any{401, "https://example.org"}, []any{a.Status, a.Header.Get("Access-Control-Allow-Origin")})
	same(t, "with a token", 200, r.do("POST", "/reset", "{}", "Origin", "https://example.org", "Authorization", "Bearer "+token).Status)
}

// TestAForeignNameThatPointsHereReadsNothing is what a page does that has its own name resolved to this machine: its requests are of
// its own origin, and GET has no Origin header.
func TestAForeignNameThatPointsHereReadsNothing(t *testing.T) {
	t.Parallel()
	r := start(t, func(_ *server.Deps, o *server.Options) { o.Origins = []string{"https://proxy.example"} })
	r.reset("/reset", `{"seed":1}`)
	for host, want := range map[string]int{"evil.example:7860": 403, "evil.example": 403, "127.0.0.1.evil.example": 403, "localhost.evil.example": 403, "2130706433": 403,
		"127.0.0.1:7860": 200, "127.1.2.3": 200, "localhost": 200, "LOCALHOST:1": 200, "triage.localhost:7860": 200, "[::1]:7860": 200, "proxy.example": 200} {
		for _, path := range []string{"/state", "/web/review", "/metrics", "/health"} {
			if a := r.do("GET", path, "", "Host", host); a.Status != want || want == 403 && strings.Contains(a.Body, "ticket") {
				t.Errorf("GET %s of host %s: status %d: %.200s", path, host, a.Status, a.Body)
			}
		}
	}
}

// TestATLSServerPlays has a certificate of its own.
func TestATLSServerPlays(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "triage"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	r := start(t)
	web := httptest.NewUnstartedServer(nil)
	web.Config = r.srv.HTTPServer(nil)
	web.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	web.EnableHTTP2 = true
	web.StartTLS()
	defer web.Close()
	for name, transport := range map[string]*http.Transport{"HTTP/1.1": {TLSClientConfig: &tls.Config{RootCAs: pool}},
		"HTTP/2.0": {TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}} {
		client := &http.Client{Transport: transport}
		resp, err := client.Post(web.URL+"/reset", "application/json", strings.NewReader(`{"seed":1}`))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		cookie := resp.Header.Get("Set-Cookie")
		if resp.StatusCode != 200 || resp.Proto != name || !strings.Contains(cookie, "; Secure") {
			t.Errorf("%s: status %d, protocol %s, cookie %q", name, resp.StatusCode, resp.Proto, cookie)
		}
		client.CloseIdleConnections()
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	s, status := dial(t, client, "wss"+strings.TrimPrefix(web.URL, "https")+"/ws")
	if s == nil {
		t.Fatalf("wss: status %d", status)
	}
	object(t, s.ask(`{"type":"reset"}`))
	s.tell(`{"type":"close"}`)
	s.end()
}

func TestTheNameOfATokenDoesNotGiveItAway(t *testing.T) {
	t.Parallel()
	if a, b := server.TokenName(token), server.TokenName(token+"x"); a == b || len(a) != 8 || strings.Contains(token, a) {
		t.Errorf("names are %q and %q", a, b)
	}
}
