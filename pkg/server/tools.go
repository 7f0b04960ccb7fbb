package server

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

// tool is what an agent can do inside an episode. Its answer is structured JSON; text is what a model reads, or empty for the JSON.
type tool struct {
	name, description string
	call              func(p *player, args json.RawMessage, c *rpcContext) (structured []byte, text string, err error)
}

// tools are in the order in which they are listed. To reset and to step are not tools: they belong to whoever runs the episode.
var tools = []tool{
	{openenv.ToolReadTicket, "Shows what is to be triaged now, as the observation has it.", readTicket},
	{openenv.ToolSubmit, "Answers the ticket that is shown. A field may be left out: that costs what it is worth. Gives the next observation.", submitTriage},
	{openenv.ToolReadHandbook, "Gives the handbook, by which answers are graded, as Markdown.", readHandbook},
	{openenv.ToolQueueStatus, "Tells how far the episode is.", queueStatus},
}

// toolList is the answer to tools/list on a track.
var toolList = map[triage.Track]func() json.RawMessage{
	triage.Queue: sync.OnceValue(func() json.RawMessage { return listOf(triage.Queue) }),
	triage.Desk:  sync.OnceValue(func() json.RawMessage { return listOf(triage.Desk) }),
}

func listOf(track triage.Track) json.RawMessage {
	type entry struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	schemas := openenv.ToolSchemas(track)
	out := make([]entry, len(tools))
	for i, t := range tools {
		out[i] = entry{t.name, t.description, schemas[t.name]}
	}
	return openenv.Plain(map[string][]entry{"tools": out})
}

func (s *Server) listTools(_ json.RawMessage, c *rpcContext) (json.RawMessage, *openenv.RPCError) {
	return toolList[c.track](), nil
}

// callTool calls a tool inside the episode that the call is about.
func (s *Server) callTool(params json.RawMessage, c *rpcContext) (json.RawMessage, *openenv.RPCError) {
	var call struct {
		Name      *string         `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(params, &call); err != nil || call.Name == nil {
		return nil, &openenv.RPCError{Code: openenv.RPCBadParams, Message: "Missing 'name' in params"}
	}
	if len(call.Arguments) == 0 || string(call.Arguments) == "null" {
		call.Arguments = json.RawMessage("{}")
	}
	if openenv.Crowded(call.Arguments) {
		return nil, &openenv.RPCError{Code: openenv.RPCBadParams, Message: openenv.TooMany(nil, nil).Msg}
	}
	for _, t := range tools {
		if t.name != *call.Name {
			continue
		}
		p, err := s.playerOf(params, c)
		if err != nil && t.name == openenv.ToolReadHandbook {
			p, err = s.newPlayer(c.track, c.owner), nil // it needs no episode
		}
		var structured []byte
		text := ""
		if err == nil {
			structured, text, err = t.call(p, call.Arguments, c)
		}
		if err != nil && !c.proper() {
			return nil, &openenv.RPCError{Code: openenv.RPCInternal, Message: err.Error()}
		}
		return toolResult(structured, text, err), nil
	}
	return nil, &openenv.RPCError{Code: openenv.RPCInternal, Message: "Unknown tool: '" + shortName(*call.Name) + "'"}
}

// proper tells whether a client of the Model Context Protocol itself calls. It wants a tool's error as a result, which a model
// can read, where OpenEnv's client wants an error of the call.
func (c *rpcContext) proper() bool {
	return c.request != nil && (c.request.Header.Get("Mcp-Protocol-Version") != "" || strings.Contains(c.request.Header.Get("Accept"), "text/event-stream"))
}

// playerOf finds the episode that a tool is called in: that of the socket, of the session that the call names, or the one that an
// HTTP request of a step would be about.
func (s *Server) playerOf(params json.RawMessage, c *rpcContext) (*player, error) {
	id, given := sessionParam(params)
	switch {
	case c.session != nil && !given:
		return c.session.player, nil
	case !given && c.request != nil:
		if id = c.request.URL.Query().Get("session_id"); id == "" {
			x, p := s.episodes.match(c.request, "", s.alone(c.request))
			if p != nil {
				return nil, p
			}
			if x == nil {
				return nil, errors.New("no episode: begin one with a reset over WebSocket or HTTP, then " + threeWays)
			}
			return x.player, nil
		}
	}
	if x, ok := s.sessions.find(id, c.owner); ok {
		return x.player, nil
	}
	if x, ok := s.episodes.bySession(id, c.owner); ok {
		return x.player, nil
	}
	return nil, errors.New("Unknown session_id: " + shortName(id))
}

// toolResult renders a tool's result in both spellings: the official clients read the one with capitals, OpenEnv's the one with
// underscores and data.
func toolResult(structured []byte, text string, err error) json.RawMessage {
	type content struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Annotations any    `json:"annotations"`
		Meta        any    `json:"meta"`
	}
	result := map[string]any{"isError": err != nil, "is_error": err != nil, "meta": nil}
	if err != nil {
		text = err.Error()
	} else {
		if text == "" {
			text = string(structured)
		}
		result["structuredContent"], result["structured_content"], result["data"] =
			json.RawMessage(structured), json.RawMessage(structured), json.RawMessage(structured)
	}
	result["content"] = []content{{Type: "text", Text: text}}
	return openenv.Plain(result)
}

// noArguments refuses arguments of a tool that takes none.
func noArguments(args json.RawMessage) error {
	members, err := triage.AppendMembers(nil, args)
	if err != nil {
		return errors.New("arguments must be an object")
	}
	if len(members) > 0 {
		return errors.New("unknown argument " + shortText(string(members[0].Key)) + ": this tool takes none")
	}
	return nil
}

func readTicket(p *player, args json.RawMessage, _ *rpcContext) ([]byte, string, error) {
	if err := noArguments(args); err != nil {
		return nil, "", err
	}
	state := p.state()
	if state.EpisodeID == "" {
		return nil, "", errors.New("no ticket: the episode has not begun; call reset first")
	}
	out := openenv.AppendObservation([]byte(`{"observation":`), state.Observation, &openenv.Metadata{})
	return append(out, `,"done":`+truth(state.Done)+`}`...), "", nil
}

func truth(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

func submitTriage(p *player, args json.RawMessage, c *rpcContext) ([]byte, string, error) {
	action, err := p.parse(args)
	if err != nil {
		return nil, "", err
	}
	result, meta, err := p.step(c.context(), action)
	if err != nil {
		return nil, "", err
	}
	return openenv.AppendResult(nil, result, &meta, false), "", nil
}

func readHandbook(p *player, args json.RawMessage, _ *rpcContext) ([]byte, string, error) {
	if err := noArguments(args); err != nil {
		return nil, "", err
	}
	text := p.server.deps.Handbook
	return openenv.Plain(map[string]string{"handbook": text}), text, nil
}

func queueStatus(p *player, args json.RawMessage, _ *rpcContext) ([]byte, string, error) {
	if err := noArguments(args); err != nil {
		return nil, "", err
	}
	s := p.state()
	if s.EpisodeID == "" {
		return nil, "", errors.New("no status: the episode has not begun; call reset first")
	}
	out := map[string]any{"episode_id": s.EpisodeID, "task": s.Task, "step_count": s.StepCount, "done": s.Done}
	if o := s.Observation.Queue; o != nil {
		out["position"], out["total_tickets"], out["remaining"], out["message"] = o.Position, o.TotalTickets, o.Remaining, o.Message
		out["stats"] = o.Stats
	}
	if o := s.Observation.Desk; o != nil {
		out["message"] = o.Message
	}
	return openenv.Plain(out), "", nil
}
