package audit

import (
	"context"
	"net/http"
	"strings"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

// openPaths need no token: the server's health, and pages that hold no data.
var openPaths = map[string]bool{"/health": true, "/": true, "/web": true, "/docs": true, "/redoc": true}

// checkTokens looks whether a server that needs tokens lets nobody in without.
func (s *server) checkTokens(ctx context.Context) ([]triage.Check, error) {
	f := claim("tokens/needed", "requests and sockets without a token, and with a wrong one", "401, but for the health and pages without data")
	if !s.tokened {
		f.skip("the server needs no tokens")
		return []triage.Check{f.check("")}, nil
	}
	for _, token := range []string{"", strings.Repeat("0123456789abcdef", 2)} {
		for _, prefix := range s.prefixes {
			for _, x := range s.routes() {
				if openPaths[x.path] {
					continue
				}
				x.path, x.token = prefix+x.path, token
				r, err := s.ask(ctx, x)
				if err != nil {
					return nil, err
				}
				f.unless(r.status == http.StatusUnauthorized, "%s with the token %q answers %d: %s", x.name(), token, r.status, short(r.body))
			}
		}
		for _, t := range s.tracks() {
			for _, path := range []string{wsPath(t), "/" + string(t) + "/mcp"} {
				f.unless(s.shut(ctx, path, token), "WS %s with the token %q is a session", path, token)
			}
		}
	}
	return []triage.Check{f.check("requests")}, nil
}

// routes lists requests of all routes of a server of ours.
func (s *server) routes() []request {
	out := append(listings(), toolListings()...)
	for _, under := range []string{"", "/web"} {
		out = append(out, request{path: under + "/reset", body: "{}"}, request{path: under + "/step", body: `{"action":{}}`}, request{path: under + "/state"})
	}
	return append(out, request{path: "/web/review"}, request{path: "/metrics"})
}

// shut tells whether a socket is refused: at the handshake, or by an error in place of the first answer.
func (s *server) shut(ctx context.Context, path, token string) bool {
	k, err := s.Open(ctx, path, token)
	if err != nil {
		return true
	}
	defer k.Close()
	if strings.HasSuffix(path, "/mcp") {
		data, err := k.Exchange(ctx, encoded(rpc("ping", map[string]any{})))
		return err != nil || failed(data)
	}
	a, _, err := exchange(ctx, k, frame(openenv.TypeState, nil))
	return err != nil || a.Type == openenv.TypeError
}

// checkSealed looks at what a sealed server must not do.
func (s *server) checkSealed(ctx context.Context) ([]triage.Check, error) {
	options := claim("sealed/options", "resets with seed, index, tickets or rewards", "refused")
	review := claim("sealed/review", "the page's review of gradings", "not found")
	needs := claim("sealed/tokens", "does the sealed server need tokens?", "yes")
	left := claim("sealed/left-open", "going on with an episode that was left", "refused")
	meters := claim("sealed/metrics", "what metrics count for good answers and for bad ones", "the same")
	all := []*finding{needs, options, s.watch.early, s.watch.running, s.watch.gradings, s.watch.final, review, s.watch.once, left, meters}
	if !s.sealed {
		var out []triage.Check
		for _, f := range all {
			f.skip("the server is not sealed")
			out = append(out, f.check(""))
		}
		return out, nil
	}
	needs.unless(s.tokened, "anyone may come: who comes again plays the same tickets again")
	if err := s.sealedOptions(ctx, options); err != nil {
		return nil, err
	}
	for _, prefix := range s.prefixes {
		r, err := s.ask(ctx, request{path: prefix + "/web/review", token: s.token()})
		if err != nil {
			return nil, err
		}
		review.unless(r.status == http.StatusNotFound, "GET %s/web/review answers %d: %s", prefix, r.status, short(r.body))
	}
	for _, track := range s.tracks() {
		if err := s.leaveOpen(ctx, left, track); err != nil {
			return nil, err
		}
		if err := s.meterAnswers(ctx, meters, track); err != nil {
			return nil, err
		}
	}
	units := []string{"answers", "resets", "payments", "observations", "payloads", "ends", "answers", "tickets", "attempts", "series"}
	out := make([]triage.Check, len(all))
	for i, f := range all {
		out[i] = f.check(units[i])
	}
	return out, nil
}

// sealedOptions asks for what a sealed server gives nobody.
func (s *server) sealedOptions(ctx context.Context, f *finding) error {
	for _, track := range s.tracks() {
		k, err := s.Open(ctx, wsPath(track), s.token())
		if err != nil {
			return err
		}
		defer k.Close()
		for name, value := range map[string]any{openenv.OptionSeed: s.options.Seed, openenv.OptionIndex: 0, openenv.OptionTickets: 1, openenv.OptionRewards: triage.RewardsTicket} {
			if name == openenv.OptionTickets && track == triage.Desk {
				continue // never a desk option
			}
			options := map[string]any{openenv.OptionDifficulty: triage.Easy, openenv.OptionSplit: s.options.Split, name: value}
			a, raw, err := exchange(ctx, k, frame(openenv.TypeReset, options))
			if err != nil {
				return err
			}
			f.unless(a.Type == openenv.TypeError, "WS %s takes %s: %s", wsPath(track), name, short(raw))
			for _, under := range s.control {
				r, err := s.ask(ctx, request{path: "/" + string(track) + under + "/reset", body: string(encoded(options)), token: s.token()})
				if err != nil {
					return err
				}
				f.unless(r.refused(), "POST /%s%s/reset takes %s: %s", track, under, name, short(r.body))
			}
		}
	}
	return nil
}
