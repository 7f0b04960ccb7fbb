package server

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

// httpReset is POST /reset: it begins an episode that later requests find again.
func (s *Server) httpReset(w http.ResponseWriter, r *http.Request) {
	data, p := s.body(w, r)
	if p != nil {
		p.write(w)
		return
	}
	if len(data) == 0 {
		data = []byte("{}")
	}
	options, details := openenv.ParseReset(data, "body")
	if len(details) > 0 {
		writeDetails(w, details)
		return
	}
	if s.draining() {
		writeDetail(w, http.StatusServiceUnavailable, "the server is going down")
		return
	}
	x := &episode{player: s.newPlayer(trackOf(r), ownerOf(r)), caller: callerName(r)}
	var err error
	if x.session, err = s.randomID(); err != nil {
		s.problemOf(err, data).write(w)
		return
	}
	result, meta, err := x.reset(r.Context(), &options)
	if err != nil {
		s.problemOf(err, data).write(w)
		return
	}
	if why := s.episodes.add(x); why != "" {
		x.close()
		writeDetail(w, http.StatusServiceUnavailable, why)
		return
	}
	w.Header().Set(sessionHeader, x.session)
	http.SetCookie(w, &http.Cookie{Name: sessionCookie, Value: x.session, Path: cookiePath(r), HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode})
	writeJSON(w, http.StatusOK, openenv.AppendResult(nil, result, &meta, true))
}

// cookiePath is where an episode's cookie is sent to: one jar can hold an episode of each track.
func cookiePath(r *http.Request) string {
	for _, t := range triage.Tracks() {
		if prefix := "/" + string(t); strings.HasPrefix(r.URL.Path, prefix+"/") {
			return prefix
		}
	}
	return "/"
}

// callerName is who may not have too many episodes: the bearer of a token, or an address. Where that is a private one other than
// this machine's, a proxy stands before the server, and the address is the one that the proxy names last.
func callerName(r *http.Request) string {
	if owner := ownerOf(r); owner != "" {
		return owner
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsPrivate() {
		return host
	}
	if list := r.Header.Values("X-Forwarded-For"); len(list) > 0 {
		all := strings.Split(list[len(list)-1], ",")
		if ip := net.ParseIP(strings.TrimSpace(all[len(all)-1])); ip != nil {
			return ip.String()
		}
	}
	return host
}

// forwarding are headers by which proxies tell that they are some.
var forwarding = []string{"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip"}

// alone tells whether a request can only be the one user's of this machine, so that the latest episode is meant.
func (s *Server) alone(r *http.Request) bool {
	if !s.options.Loopback || len(s.tokens) > 0 {
		return false
	}
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Forwarded-") || slices.Contains(forwarding, name) {
			return false
		}
	}
	return true
}

// httpStep is POST /step. The action is looked at before the episode is.
func (s *Server) httpStep(w http.ResponseWriter, r *http.Request) {
	data, p := s.body(w, r)
	if p != nil {
		p.write(w)
		return
	}
	req, details := openenv.ParseStep(data)
	if len(details) > 0 {
		writeDetails(w, details)
		return
	}
	action, err := triage.ParseAction(trackOf(r), req.Action, nil)
	x, p := s.episodes.match(r, req.EpisodeID, s.alone(r))
	if err != nil && x != nil {
		action, err = x.parse(req.Action) // the reset may have asked to take it for the empty one
	}
	if err != nil {
		s.problemOf(err, req.Action).write(w)
		return
	}
	if p == nil && x == nil {
		p = conflict("step before reset: call reset first")
	}
	if p != nil {
		p.write(w)
		return
	}
	if callerOf(r).route != pageStep {
		req.RequestID = "" // to others it only names a trace, and may be the same in every step
	}
	answer, err := x.once(r.Context(), req.RequestID, action)
	if err != nil {
		s.problemOf(err, req.Action).write(w)
		return
	}
	w.Header().Set(sessionHeader, x.session)
	writeJSON(w, http.StatusOK, answer)
}

// pageStep is where the page sends its steps, each with a name of its own.
const pageStep = "/web/step"

// once takes a step and gives the answer, which it repeats for a request that is sent again: browsers do that where a connection broke
// before the answer came.
func (x *episode) once(ctx context.Context, requestID string, action triage.Action) ([]byte, error) {
	x.turn.Lock()
	defer x.turn.Unlock()
	if requestID != "" && requestID == x.lastRequest {
		return x.lastAnswer, nil
	}
	result, meta, err := x.step(ctx, action)
	if err != nil {
		return nil, err
	}
	meta.Session = x.session
	x.lastRequest, x.lastAnswer = requestID, nil
	answer := openenv.AppendResult(nil, result, &meta, true)
	if requestID != "" {
		x.lastAnswer = answer
	}
	return answer, nil
}

// httpState is GET /state. Where only one client can be and it has no episode, the state is blank, as the reference's is.
func (s *Server) httpState(w http.ResponseWriter, r *http.Request) {
	x, p := s.episodes.match(r, r.URL.Query().Get("episode_id"), s.alone(r))
	if p != nil {
		p.write(w)
		return
	}
	state := openenv.State{State: triage.State{Track: trackOf(r)}}
	if x != nil {
		w.Header().Set(sessionHeader, x.session)
		state = x.state()
	}
	writeJSON(w, http.StatusOK, openenv.AppendState(nil, &state))
}

// problemOf makes the answer to an error of the environment.
func (s *Server) problemOf(err error, action json.RawMessage) *problem {
	var fields *triage.FieldErrors
	if errors.As(err, &fields) {
		return &problem{details: openenv.ActionDetails(fields, action)}
	}
	status := openenv.Status(triage.CodeOf(err))
	if status == http.StatusServiceUnavailable {
		s.deps.Log.Error("environment", "error", err)
	}
	if status == http.StatusUnprocessableEntity {
		return &problem{details: []openenv.Detail{openenv.Value(err.Error(), action)}}
	}
	return &problem{status: status, detail: err.Error()}
}
