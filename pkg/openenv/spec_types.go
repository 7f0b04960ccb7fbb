package openenv

import "github.com/triagebench/triage/pkg/triage"

// The bodies of requests and answers of the HTTP routes, as the OpenAPI document describes them. As with the types of
// schema_types.go they hold no values.

type (
	wholeSeed    int64   // any spelling of an integer that a reset takes as a seed
	wholeIndex   int64   // of a task in its split
	wholeTickets int64   // of a queue episode
	taskIndex    int64   // the same, or counted from the end
	slicePlace   int64   // an end of a slice of tasks
	lenientTruth bool    // any spelling of true and false
	episodeName  string  // at most MaxEpisodeID characters
	seconds      float64 // more than 0
	anyValue     any     // not looked at
	hex32        string  // 128 bits
)

type resetRequest struct {
	Seed       *wholeSeed         `json:"seed,omitempty" jsonschema:"Decides the tickets. Without it, it is derived from episode_id if that is given, and random otherwise. Integers may be written as 42, 42.0, \"42\" or true."`
	EpisodeID  *episodeName       `json:"episode_id,omitempty" jsonschema:"A name for the episode, made up where it is missing."`
	Difficulty *triage.Difficulty `json:"difficulty,omitempty" jsonschema:"How hard the texts are to read; easy where it is missing."`
	Split      *triage.Split      `json:"split,omitempty" jsonschema:"Which half of the scenarios the tickets come from: train where it is missing, on a sealed server test."`
	Index      *wholeIndex        `json:"index,omitempty" jsonschema:"Plays a task of the task API: its difficulty and its seed, which must not be contradicted beside it."`
	Tickets    *wholeTickets      `json:"tickets,omitempty" jsonschema:"Fewer tickets than the task has: at most 8 (easy), 10 (medium) or 12 (hard)."`
	Rewards    *triage.Rewards    `json:"rewards,omitempty" jsonschema:"How the rewards of a queue episode are spread over its steps: dense (they sum to the score), ticket (each ticket's own) or episode (all at the end)."`
	OnInvalid  *triage.OnInvalid  `json:"on_invalid,omitempty" jsonschema:"What a step does with a wrong value: error refuses the action, empty takes it for an empty one."`
	Handbook   *lenientTruth      `json:"handbook,omitempty" jsonschema:"Whether the first observation's metadata holds the handbook."`
}

// stepRequest is generic in the action of its track.
type stepRequest[A any] struct {
	Action    A            `json:"action" jsonschema:"The answer to the current observation. Every field may be absent or null, which costs what it is worth."`
	TimeoutS  *seconds     `json:"timeout_s,omitempty" jsonschema:"Seconds that the step may take."`
	RequestID *episodeName `json:"request_id,omitempty" jsonschema:"A name for the request, free to choose. At /web/step one that has the name of the last step is that step, sent again: it gets the same answer."`
	EpisodeID *episodeName `json:"episode_id,omitempty" jsonschema:"Which episode is meant, where neither header nor cookie says it."`
}

// envelope is generic in the observation of its track.
type envelope[O any] struct {
	Observation O           `json:"observation" jsonschema:"What the agent sees."`
	Reward      *float64    `json:"reward" jsonschema:"What the step paid; 0 after a reset."`
	Done        bool        `json:"done" jsonschema:"Whether the episode is over."`
	Metadata    *freeObject `json:"metadata" jsonschema:"The observation's metadata again, null where it is empty."`
}

type splitRequest struct {
	Split triage.Split `json:"split" jsonschema:"A split of the environment."`
}

type taskRequest struct {
	Split triage.Split `json:"split" jsonschema:"A split of the environment."`
	Index taskIndex    `json:"index" jsonschema:"The index of the task in its split; negative numbers count from the end."`
}

type taskRangeRequest struct {
	Split triage.Split `json:"split" jsonschema:"A split of the environment."`
	Start *slicePlace  `json:"start,omitempty" jsonschema:"The first index; negative numbers count from the end; 0 where it is missing."`
	Stop  *slicePlace  `json:"stop,omitempty" jsonschema:"The index after the last; negative numbers count from the end; the end where it is missing."`
}

type splitAnswer struct {
	Name triage.Split `json:"name" jsonschema:"What a reset calls it."`
	Type triage.Split `json:"type" jsonschema:"What it is for."`
}

type taskAnswer struct {
	ID         string            `json:"id" jsonschema:"The task's name in all splits."`
	Index      amount            `json:"index" jsonschema:"Its index in the split."`
	Split      triage.Split      `json:"split" jsonschema:"Its split."`
	Task       taskName          `json:"task" jsonschema:"The task that a reset with it plays."`
	Difficulty triage.Difficulty `json:"difficulty" jsonschema:"The difficulty that a reset with it plays."`
	Seed       seedNumber        `json:"seed" jsonschema:"The seed that a reset with it plays."`
}

type taskList struct {
	Tasks   []taskAnswer `json:"tasks" jsonschema:"The tasks, by index."`
	EnvName string       `json:"env_name" jsonschema:"The environment's name."`
}

type taskCount struct {
	NumTasks amount `json:"num_tasks" jsonschema:"How many tasks the split has."`
}

type taskOne struct {
	Task taskAnswer `json:"task" jsonschema:"The task."`
}

type taskRange struct {
	Tasks []taskAnswer `json:"tasks" jsonschema:"The tasks, by index."`
}

type metadataAnswer struct {
	Name             string  `json:"name" jsonschema:"The environment's name."`
	Description      string  `json:"description" jsonschema:"What it is."`
	ReadmeContent    *string `json:"readme_content" jsonschema:"The handbook in Markdown."`
	Version          *string `json:"version" jsonschema:"The version of the program."`
	Author           *string `json:"author" jsonschema:"Who made it."`
	DocumentationURL *string `json:"documentation_url" jsonschema:"Where more is written."`
}

type healthAnswer struct {
	Status string `json:"status" jsonschema:"healthy, or draining where the server is going down."`
}

type schemaAnswer struct {
	Action           freeObject `json:"action" jsonschema:"The JSON Schema of actions."`
	Observation      freeObject `json:"observation" jsonschema:"The JSON Schema of what a step gives: observation, reward and done in one object."`
	State            freeObject `json:"state" jsonschema:"The JSON Schema of states."`
	ResetObservation freeObject `json:"reset_observation" jsonschema:"The JSON Schema of what a reset gives: observation, reward and done in one object."`
}

type errorAnswer struct {
	Detail string `json:"detail" jsonschema:"What is wrong, and what would be right."`
}

type validationErrors struct {
	Detail []validationError `json:"detail" jsonschema:"Everything that is wrong with the request."`
}

type validationError struct {
	Type  string     `json:"type" jsonschema:"The kind of mistake, such as missing or literal_error."`
	Loc   []anyValue `json:"loc" jsonschema:"Where it is: keys and indexes, from the body or from the action on."`
	Msg   string     `json:"msg" jsonschema:"What would be right."`
	Input anyValue   `json:"input,omitempty" jsonschema:"The value as it was sent, shortened."`
	Ctx   freeObject `json:"ctx,omitempty" jsonschema:"The limit or the allowed values."`
	URL   string     `json:"url,omitempty" jsonschema:"Where the kind of mistake is described."`
}

type rpcRequest struct {
	Version string     `json:"jsonrpc" jsonschema:"Always 2.0."`
	Method  string     `json:"method" jsonschema:"initialize, ping, tools/list, tools/call, openenv/session/create, openenv/session/close."`
	Params  freeObject `json:"params,omitempty" jsonschema:"The method's parameters; session_id says on which session a tool works."`
	ID      anyValue   `json:"id,omitempty" jsonschema:"A string, an integer or null, sent back with the answer."`
}

type rpcResponse struct {
	Version string     `json:"jsonrpc" jsonschema:"Always 2.0."`
	ID      anyValue   `json:"id" jsonschema:"The id of the request, null where it has none or cannot be read."`
	Result  anyValue   `json:"result,omitempty" jsonschema:"What the method gives. An answer has either this or error."`
	Error   *rpcFailed `json:"error,omitempty" jsonschema:"Why there is no result."`
}

type rpcFailed struct {
	Code    int      `json:"code" jsonschema:"The kind of error, such as -32602."`
	Message string   `json:"message" jsonschema:"What is wrong."`
	Data    anyValue `json:"data" jsonschema:"More about it, or null."`
}

type reviewAnswer struct {
	Session   hex32          `json:"session" jsonschema:"The session of the episode."`
	Graded    []reviewTicket `json:"graded" jsonschema:"The tickets that were graded so far."`
	You       reviewMean     `json:"you" jsonschema:"Your figures."`
	Heuristic reviewMean     `json:"heuristic" jsonschema:"The heuristic agent's figures on the same tickets."`
}

type reviewTicket struct {
	TicketID  ticketID     `json:"ticket_id" jsonschema:"The ticket that was answered."`
	Total     share        `json:"total" jsonschema:"Its reward."`
	Parts     []reviewPart `json:"parts" jsonschema:"The graded parts with their reasons."`
	Heuristic *reviewOther `json:"heuristic" jsonschema:"How the heuristic agent answered the same ticket; null where there is no such agent."`
}

type reviewPart struct {
	Name   string `json:"name" jsonschema:"What was graded."`
	Value  share  `json:"value" jsonschema:"How right it was."`
	Weight share  `json:"weight" jsonschema:"What it counts for."`
	Got    string `json:"got" jsonschema:"What was answered."`
	Want   string `json:"want" jsonschema:"What is right."`
	Why    string `json:"why" jsonschema:"Why it was graded so."`
}

type reviewOther struct {
	Total  share      `json:"total" jsonschema:"Its reward."`
	Answer freeObject `json:"answer" jsonschema:"Its answer."`
}

type reviewMean struct {
	Tickets amount  `json:"tickets" jsonschema:"How many tickets were graded."`
	Mean    float64 `json:"mean" jsonschema:"Their mean reward; 0 where there are none."`
}
