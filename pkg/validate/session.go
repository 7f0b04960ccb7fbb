package validate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/triagebench/triage/pkg/client"
	"github.com/triagebench/triage/pkg/openenv"
)

// exchange is a frame that was sent and the one that answered it.
type exchange struct {
	kind string         // reset, step, state
	data map[string]any // of the answer
}

// session is a session on /ws with everything that was exchanged in it.
type session struct {
	*server
	conn  *client.Conn
	trace []exchange
	id    string // of the running episode
	steps int
}

// open begins a session. A server without a free place is asked again for a while: it may still be clearing away the one
// before.
func (s *server) open(ctx context.Context) (*session, error) {
	const tries = 20
	for i := 0; ; i++ {
		out, err := s.once(ctx)
		if err != nil {
			return nil, err
		}
		var full *client.Failure
		// A state tells nothing of the episode, and whether there is a place.
		if _, err = out.ask(ctx, openenv.TypeState, nil); err == nil || !errors.As(err, &full) || full.Code != openenv.CodeCapacity {
			out.trace = nil
			return out, nil
		}
		out.conn.Close()
		if i == tries || ctx.Err() != nil {
			return nil, err
		}
		pause(ctx, s.Timeout/tries)
	}
}

// once begins a session without asking again where there is no place: that is told by the first answer.
func (s *server) once(ctx context.Context) (*session, error) {
	conn, err := client.Open(ctx, s.address.WebSocket("/ws"), s.client())
	if err != nil {
		return nil, err
	}
	return &session{server: s, conn: conn}, nil
}

// ask sends a frame and reads its answer, which must be of the due type. A [*client.Failure] is among the causes of an error
// where the server refused.
func (s *session) ask(ctx context.Context, kind string, data any) (map[string]any, error) {
	frame := map[string]any{"type": kind}
	if data != nil {
		frame["data"] = data
	}
	reply, err := s.send(ctx, openenv.Plain(frame))
	if err != nil {
		return nil, err
	}
	due := openenv.TypeObservation
	if kind == openenv.TypeState {
		due = openenv.TypeState
	}
	got, ok := reply["data"].(map[string]any)
	if reply["type"] != due || !ok {
		return nil, fmt.Errorf("%s is answered by a frame of type %v with %s, where %s with an object is due", kind, reply["type"], kindOf(reply["data"]), due)
	}
	s.trace = append(s.trace, exchange{kind: kind, data: got})
	return got, nil
}

// send sends a frame as it is and gives the one that answers it. An error frame is an error.
func (s *session) send(ctx context.Context, frame []byte) (map[string]any, error) {
	raw, err := s.conn.Exchange(ctx, frame)
	if err != nil {
		return nil, err
	}
	if s.left.Add(-int64(len(raw)+len(frame))) < 0 {
		return nil, errBudget
	}
	v, err := decodePython(raw)
	if err != nil {
		return nil, fmt.Errorf("the frame %s is no JSON: %w", brief(raw), err)
	}
	reply, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the frame %s is no object", brief(raw))
	}
	if reply["type"] == openenv.TypeError {
		return reply, failureOf(reply)
	}
	return reply, nil
}

// failureOf reads an error frame.
func failureOf(reply map[string]any) *client.Failure {
	f := &client.Failure{Message: "an error"}
	if data, ok := reply["data"].(map[string]any); ok {
		f.Code, _ = data["code"].(string)
		if text, ok := data["message"].(string); ok {
			f.Message = cut(text, longest)
		}
	}
	return f
}

// reset begins an episode.
func (s *session) reset(ctx context.Context, id string, seed int64, seeded bool) (map[string]any, error) {
	s.id, s.steps = id, 0
	data := map[string]any{openenv.OptionEpisodeID: id}
	if seeded {
		data[openenv.OptionSeed] = seed
	}
	return s.ask(ctx, openenv.TypeReset, data)
}

// step sends an action.
func (s *session) step(ctx context.Context, action json.RawMessage) (map[string]any, error) {
	out, err := s.ask(ctx, openenv.TypeStep, action)
	if err == nil {
		s.steps++
	}
	return out, err
}

// play plays an episode, as the validator's collector does: reset, state, and step, state until it is done.
func (s *session) play(ctx context.Context, id string, seed int64, seeded bool) error {
	seen, err := s.reset(ctx, id, seed, seeded)
	if err != nil {
		return err
	}
	if _, err := s.ask(ctx, openenv.TypeState, nil); err != nil {
		return err
	}
	for i := 0; i < maxSteps && seen["done"] != true; i++ {
		if seen, err = s.step(ctx, s.actor.action(i)); err != nil {
			return err
		}
		if _, err := s.ask(ctx, openenv.TypeState, nil); err != nil {
			return err
		}
	}
	return nil
}

// maxSteps is how many steps of an episode are played.
const maxSteps = 25

// refusal gives the failure among the causes of an error, or nil.
func refusal(err error) *client.Failure {
	var f *client.Failure
	if errors.As(err, &f) {
		return f
	}
	return nil
}

// closed waits for a session to be closed by the server and gives the code of it, or -1.
func (s *session) closed(ctx context.Context, wait time.Duration) int {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		if _, err := s.conn.Receive(ctx); err != nil {
			return client.CloseCode(err)
		}
	}
}
