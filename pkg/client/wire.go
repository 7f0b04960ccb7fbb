package client

import (
	"encoding/json"
	"fmt"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

// Reply is a frame of a server: its type, and its data as they are.
type Reply struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// ParseReply reads a frame of a server.
func ParseReply(frame []byte) (Reply, error) {
	var r Reply
	if err := json.Unmarshal(frame, &r); err != nil {
		return r, fmt.Errorf("the frame %s cannot be read: %w", shorten(frame), err)
	}
	if r.Type == "" || r.Data == nil {
		return r, fmt.Errorf("the frame %s has no type or no data", shorten(frame))
	}
	return r, nil
}

// Failure is the data of an error frame.
type Failure struct {
	Code    string           `json:"code"`
	Message string           `json:"message"`
	Details []openenv.Detail `json:"errors"`
	Max     int              `json:"max_sessions"`
}

// Error gives the message and the code.
func (f *Failure) Error() string { return f.Message + " (" + f.Code + ")" }

// Failure reads the data of an error frame; nil where it is none.
func (r Reply) Failure() *Failure {
	if r.Type != openenv.TypeError {
		return nil
	}
	var f Failure
	if json.Unmarshal(r.Data, &f) != nil || f.Code == "" {
		return &Failure{Code: openenv.CodeExecution, Message: "an error that cannot be read: " + shorten(r.Data)}
	}
	return &f
}

// Envelope is the data of an observation frame.
type Envelope struct {
	Observation json.RawMessage `json:"observation"`
	Reward      *float64        `json:"reward"`
	Done        *bool           `json:"done"`
	Metadata    json.RawMessage `json:"metadata"`
}

// final is what the metadata of the last observation of an episode tell.
type final struct {
	Score      *float64           `json:"score"`
	Efficiency *float64           `json:"efficiency"`
	Reward     *float64           `json:"reward"`
	Ended      triage.Ended       `json:"ended"`
	Rubrics    map[string]float64 `json:"rubrics"`
}

// final reads the metadata: those beside the observation, else those in it.
func (e *Envelope) final() (final, error) {
	var f final
	data := e.Metadata
	if len(data) == 0 || string(data) == "null" {
		var in struct {
			Metadata json.RawMessage `json:"metadata"`
		}
		if err := json.Unmarshal(e.Observation, &in); err != nil {
			return f, err
		}
		data = in.Metadata
	}
	if len(data) == 0 {
		return f, nil
	}
	err := json.Unmarshal(data, &f)
	return f, err
}

// frame makes a frame with data that are JSON already.
func frame(kind string, data []byte) []byte {
	out := append([]byte(`{"type":"`), kind...)
	out = append(out, '"')
	if data != nil {
		out = append(append(out, `,"data":`...), data...)
	}
	return append(out, '}')
}

// resetData writes the options of a reset. What is not asked for is left out.
func resetData(task triage.Task, o triage.ResetOptions, seedless bool) []byte {
	data := map[string]any{openenv.OptionDifficulty: task.Difficulty}
	if !seedless {
		data[openenv.OptionSeed] = o.Seed
	}
	for key, v := range map[string]string{openenv.OptionEpisodeID: o.EpisodeID, openenv.OptionSplit: string(o.Split),
		openenv.OptionRewards: string(o.Rewards), openenv.OptionOnInvalid: string(o.OnInvalid)} {
		if v != "" {
			data[key] = v
		}
	}
	if o.Tickets != 0 {
		data[openenv.OptionTickets] = o.Tickets
	}
	return openenv.Plain(data)
}

// shorten cuts what a server sent for a message.
func shorten(data []byte) string {
	const most = 200
	if len(data) > most {
		return fmt.Sprintf("%q…", data[:most])
	}
	return fmt.Sprintf("%q", data)
}

// detailText takes the detail out of the body of a refusal.
func detailText(body []byte) string {
	var in struct {
		Detail string `json:"detail"`
	}
	if json.Unmarshal(body, &in) != nil {
		return ""
	}
	return in.Detail
}
