package openenv

import "github.com/triagebench/triage/pkg/triage"

// The types of this file are the wire as its schemas describe it. They hold no values: the encoders write the wire, and a test
// holds both against each other. A field without omitempty is required, a pointer may be null, and a jsonschema tag is the
// field's description. Words and limits belong to types and stand in schema_words.go.

type (
	amount     int     // 0 and more
	share      float64 // 0 to 1
	hours      float64 // 0 and more
	tone       float64 // -1 to 1
	points     int     // 0 to 100
	days       int     // 1 to 7
	advice     string  // at most triage.MaxRecommendation characters
	seedNumber int64   // 0 to triage.MaxSeed
	taskName   string  // a task of the track
	picked     string  // a route or empty
	ticketID   string
)

// sure is the confidence of an answer: a share, or shares by field.
type sure struct{}

// freeObject is free JSON.
type freeObject = map[string]any

type queueAction struct {
	Route      *triage.Route      `json:"route_category,omitempty" jsonschema:"The team that the ticket belongs to."`
	Urgency    *triage.Urgency    `json:"urgency_assessment,omitempty" jsonschema:"How soon the ticket needs a person."`
	Difficulty *triage.Resolution `json:"resolution_difficulty,omitempty" jsonschema:"How much work it takes to settle the ticket."`
	Priority   *points            `json:"priority_score,omitempty" jsonschema:"The handbook's sum for the ticket, 0 to 100."`
	Confidence *sure              `json:"confidence,omitempty" jsonschema:"How sure the agent is, 0 to 1: a number for the whole answer, or an object with numbers by field. It decides nothing."`
	Metadata   *freeObject        `json:"metadata,omitempty" jsonschema:"Free data of the client. It decides nothing."`
}

type deskAction struct {
	Category       *triage.Category   `json:"category,omitempty" jsonschema:"The kind of the ticket."`
	Priority       *triage.Priority   `json:"priority,omitempty" jsonschema:"The rank of the ticket by the handbook's points."`
	UrgencyDays    *days              `json:"urgency_days,omitempty" jsonschema:"Within how many days it has to be settled, 1 to 7."`
	Department     *triage.Department `json:"department,omitempty" jsonschema:"The department that has to act."`
	Recommendation *advice            `json:"recommendation,omitempty" jsonschema:"What to do next about this ticket, in a sentence or more; at most 2,000 characters."`
	Confidence     *sure              `json:"confidence,omitempty" jsonschema:"How sure the agent is, 0 to 1: a number for the whole answer, or an object with numbers by field. It decides nothing."`
	Metadata       *freeObject        `json:"metadata,omitempty" jsonschema:"Free data of the client. It decides nothing."`
}

// afterStep is what an observation has beside its own fields where it is merged into one object.
type afterStep struct {
	Done     bool          `json:"done" jsonschema:"Whether the episode is over."`
	Reward   *float64      `json:"reward" jsonschema:"What the last step paid, 0 to 1; 0 after a reset."`
	Metadata finalMetadata `json:"metadata" jsonschema:"Over HTTP the session; with the last observation the figures of the episode."`
}

type finalMetadata struct {
	Session    string           `json:"session,omitempty" jsonschema:"The session of an HTTP episode."`
	Score      share            `json:"score,omitempty" jsonschema:"The score of the episode: the mean ticket reward (queue) or the correctness (desk)."`
	Efficiency share            `json:"efficiency,omitempty" jsonschema:"Tickets divided by touches (queue), or what early answers keep (desk)."`
	Reward     share            `json:"reward,omitempty" jsonschema:"The reward of the episode."`
	Ended      triage.Ended     `json:"ended,omitempty" jsonschema:"Whether the episode was played to its end or stopped by the step limit."`
	Rubrics    map[string]share `json:"rubrics,omitempty" jsonschema:"The mean value of each graded part."`
}

type afterReset struct {
	Done     bool          `json:"done" jsonschema:"Whether the episode is over: never after a reset."`
	Reward   *float64      `json:"reward" jsonschema:"0 after a reset."`
	Metadata firstMetadata `json:"metadata" jsonschema:"Over HTTP the session, and what the reset asked for."`
}

type firstMetadata struct {
	Session  string   `json:"session,omitempty" jsonschema:"The session of an HTTP episode: send it back as header X-Triage-Session."`
	Handbook string   `json:"handbook,omitempty" jsonschema:"The handbook in Markdown, where the reset asked for it."`
	Ignored  []string `json:"ignored_options,omitempty" jsonschema:"Keys of the reset that are no options: look for misspelt ones."`
}

type queueObservation struct {
	Task         taskName     `json:"task" jsonschema:"The task that is played."`
	Ticket       *queueTicket `json:"ticket" jsonschema:"The ticket to answer now; null after the last."`
	Position     amount       `json:"position" jsonschema:"How many tickets were answered before this one."`
	TotalTickets amount       `json:"total_tickets" jsonschema:"How many tickets the episode has."`
	Remaining    amount       `json:"remaining" jsonschema:"How many tickets are still to be answered, this one included."`
	Stats        *queueStats  `json:"stats" jsonschema:"Running figures of the tickets answered so far; null on a sealed server."`
	LastResult   *queueResult `json:"last_result" jsonschema:"How the last answer was graded; null after a reset and on a sealed server."`
	Message      string       `json:"message" jsonschema:"What to do now."`
}

type queueTicket struct {
	ID          ticketID       `json:"ticket_id" jsonschema:"The ticket's id. It tells nothing."`
	Subject     string         `json:"subject" jsonschema:"The subject of the mail."`
	Description string         `json:"description" jsonschema:"The body of the mail."`
	Metadata    ticketMetadata `json:"metadata" jsonschema:"What the help desk knows beside the text."`
}

type ticketMetadata struct {
	Channel          string      `json:"channel" jsonschema:"How the ticket came in. It decides nothing."`
	CustomerTier     triage.Tier `json:"customer_tier" jsonschema:"The customer's plan."`
	WaitTimeHours    hours       `json:"wait_time_hours" jsonschema:"How long the ticket has waited, in hours with one decimal."`
	IsEscalated      bool        `json:"is_escalated" jsonschema:"Whether the ticket was escalated."`
	PreviousContacts amount      `json:"previous_contacts" jsonschema:"How often the customer wrote about it before."`
	SelectedCategory picked      `json:"selected_category" jsonschema:"What the customer picked in the web form: a route or empty. It may be wrong."`
	Language         string      `json:"language" jsonschema:"The language as a BCP 47 tag. It decides nothing."`
	Attachments      amount      `json:"attachments" jsonschema:"How many files came with it. They decide nothing."`
}

type queueStats struct {
	Processed     amount `json:"processed" jsonschema:"How many tickets were answered."`
	MeanReward    share  `json:"mean_reward" jsonschema:"Their mean reward."`
	RouteAccuracy share  `json:"route_accuracy" jsonschema:"The share of right routes."`
	Efficiency    share  `json:"efficiency" jsonschema:"Tickets divided by touches."`
}

type queueResult struct {
	TicketID ticketID     `json:"ticket_id" jsonschema:"The ticket that was answered."`
	Reward   share        `json:"reward" jsonschema:"The ticket's own reward."`
	Correct  bool         `json:"correct" jsonschema:"Whether all of the answer was right."`
	Parts    []gradedPart `json:"parts" jsonschema:"The graded parts of the answer."`
}

type gradedPart struct {
	Name   string `json:"name" jsonschema:"What was graded."`
	Value  share  `json:"value" jsonschema:"How right it was."`
	Weight share  `json:"weight" jsonschema:"What it counts for; the weights of an answer sum to 1."`
}

type deskObservation struct {
	TicketID       ticketID          `json:"ticket_id" jsonschema:"The ticket's id. It tells nothing."`
	CustomerName   string            `json:"customer_name" jsonschema:"Who wrote."`
	IssueText      string            `json:"issue_text" jsonschema:"Subject, an empty line and the body of the mail."`
	IssueType      string            `json:"issue_type" jsonschema:"A placeholder. It never tells the category."`
	SentimentScore tone              `json:"sentiment_score" jsonschema:"The tone of the text, from -1 (angry) to 1 (happy), with two decimals."`
	WaitTimeHours  hours             `json:"wait_time_hours" jsonschema:"How long the ticket has waited, in hours with one decimal."`
	IsEscalated    bool              `json:"is_escalated" jsonschema:"Whether the ticket was escalated."`
	StepCount      amount            `json:"step_count" jsonschema:"How many submissions were made, at most three."`
	TaskDifficulty triage.Difficulty `json:"task_difficulty" jsonschema:"The difficulty of the task that is played."`
	Message        string            `json:"message" jsonschema:"What is asked for, or what is still missing."`
}

// The objects as they are merged for a validator: observation and reset_observation of GET /schema.
type (
	queueMerged struct {
		afterStep
		queueObservation
	}
	queueFirst struct {
		afterReset
		queueObservation
	}
	deskMerged struct {
		afterStep
		deskObservation
	}
	deskFirst struct {
		afterReset
		deskObservation
	}
)

// The observations as an envelope and a state hold them: with metadata, without reward and done.
type (
	queueShown struct {
		Metadata freeObject `json:"metadata" jsonschema:"The metadata that stands beside the observation."`
		queueObservation
	}
	deskShown struct {
		Metadata freeObject `json:"metadata" jsonschema:"The metadata that stands beside the observation."`
		deskObservation
	}
)

// stateOf is generic in the observation of its track.
type stateOf[O any] struct {
	EpisodeID   *string       `json:"episode_id" jsonschema:"The id of the episode: the client's or one made up; null before a reset."`
	StepCount   amount        `json:"step_count" jsonschema:"How many steps the episode has had."`
	Track       triage.Track  `json:"track" jsonschema:"The track that is served here."`
	Task        *taskName     `json:"task" jsonschema:"The task that is played; null before a reset."`
	Split       *triage.Split `json:"split" jsonschema:"The split that the tickets come from; null before a reset."`
	Done        bool          `json:"done" jsonschema:"Whether the episode is over."`
	Seed        seedNumber    `json:"seed,omitempty" jsonschema:"The seed of the episode, only if the client gave it."`
	Observation *O            `json:"observation" jsonschema:"The observation that is to be answered; null before a reset."`
}
