package triage

// Severity says what is wrong for the sender.
type Severity string

// The severities, least first.
const (
	Cosmetic   Severity = "cosmetic"
	Degraded   Severity = "degraded"
	Blocked    Severity = "blocked"
	DataAtRisk Severity = "data_at_risk"
)

// Impact says whom it hits.
type Impact string

// The impacts, smallest first; Customers are the sender's own customers.
const (
	One       Impact = "one"
	Team      Impact = "team"
	Company   Impact = "company"
	Customers Impact = "customers"
)

// Deadline says when the sender needs it: Hours within 24 hours of the mail, Days within seven days.
type Deadline string

// The deadlines.
const (
	NoDeadline Deadline = "none"
	Days       Deadline = "days"
	Hours      Deadline = "hours"
)

// Effort says who has to act for the request to be settled.
type Effort string

// The efforts, least first.
const (
	SelfService   Effort = "self_service"
	Investigation Effort = "investigation"
	CrossTeam     Effort = "cross_team"
)

// Stake says what hangs on a feature wish.
type Stake string

// The stakes; they matter on the desk track only.
const (
	NoStake   Stake = "none"
	DailyWork Stake = "daily_work"
	Contract  Stake = "contract"
)

// Tier is the customer's plan.
type Tier string

// The tiers, smallest first.
const (
	Free       Tier = "free"
	Pro        Tier = "pro"
	Business   Tier = "business"
	Enterprise Tier = "enterprise"
)

// Severities lists the severities, least first.
func Severities() []Severity { return []Severity{Cosmetic, Degraded, Blocked, DataAtRisk} }

// Impacts lists the impacts, smallest first.
func Impacts() []Impact { return []Impact{One, Team, Company, Customers} }

// Deadlines lists the deadlines, none first.
func Deadlines() []Deadline { return []Deadline{NoDeadline, Days, Hours} }

// Efforts lists the efforts, least first.
func Efforts() []Effort { return []Effort{SelfService, Investigation, CrossTeam} }

// Stakes lists the stakes, least first.
func Stakes() []Stake { return []Stake{NoStake, DailyWork, Contract} }

// Tiers lists the tiers, smallest first.
func Tiers() []Tier { return []Tier{Free, Pro, Business, Enterprise} }

// Request is one thing that a ticket is about, with the facts that the handbook judges it by.
type Request struct {
	// Scenario is the slug of the scenario that the request comes from, such as "billing/vat-number-missing".
	Scenario   string   `json:"scenario"`
	Route      Route    `json:"route"`
	Category   Category `json:"category,omitempty"` // empty for feedback and spam
	Severity   Severity `json:"severity"`
	Impact     Impact   `json:"impact"`
	Workaround bool     `json:"workaround"` // counts only where Severity is Blocked
	Deadline   Deadline `json:"deadline"`
	Effort     Effort   `json:"effort"`
	Stake      Stake    `json:"stake,omitempty"` // feature requests only
}

// Facts is everything that decides a ticket's text and labels. No agent sees it.
type Facts struct {
	Primary   Request  `json:"primary"`
	Secondary *Request `json:"secondary,omitempty"` // blended tickets only
	Tier      Tier     `json:"tier"`
	// WaitHours is how long the ticket has waited, in hours with one decimal.
	WaitHours        float64 `json:"wait_hours"`
	Escalated        bool    `json:"escalated"`
	PreviousContacts int     `json:"previous_contacts"`
	// Sentiment is the tone of the text in [-1,1] with two decimals.
	Sentiment float64 `json:"sentiment"`
	// Entities are the groups of synonyms of what the primary request is about; Distractors are terms of what is only
	// mentioned. Both are for grading recommendations.
	Entities    [][]string `json:"entities,omitempty"`
	Distractors []string   `json:"distractors,omitempty"`
	// Traps names what makes the text hard, such as "thread" or "misleading_subject", sorted.
	Traps []string `json:"traps,omitempty"`
	// FollowUp says that the ticket only reports that an earlier matter is settled.
	FollowUp bool `json:"follow_up,omitempty"`
}

// QueueTruth holds the right answer of a queue ticket.
type QueueTruth struct {
	Route      Route      `json:"route_category"`
	Urgency    Urgency    `json:"urgency_assessment"`
	Difficulty Resolution `json:"resolution_difficulty"`
	Priority   int        `json:"priority_score"` // 0..100
	// Secondary is the team of the secondary request, or empty.
	Secondary Route `json:"-"`
}

// DeskTruth holds the right answer of a desk ticket.
type DeskTruth struct {
	Category    Category   `json:"category"`
	Priority    Priority   `json:"priority"`
	UrgencyDays int        `json:"urgency_days"` // 1..7
	Department  Department `json:"department"`
	// Credit is what each department earns, in the order of [Departments], 0..1.
	Credit [4]float64 `json:"-"`
	// Entities, Distractors and Text (the ticket as the agent sees it) are what recommendations are graded against.
	Entities    [][]string `json:"-"`
	Distractors []string   `json:"-"`
	Text        string     `json:"-"`
}

// Truth holds the right answers of one ticket; a part that is nil or empty is unknown.
type Truth struct {
	Queue  *QueueTruth       `json:"queue,omitempty"`
	Desk   *DeskTruth        `json:"desk,omitempty"`
	Labels map[string]string `json:"labels,omitempty"` // imported tickets: column to value
}

// Ticket is what the desk received: text and metadata, no facts and no labels.
type Ticket struct {
	ID           string
	Subject      string
	Body         string
	CustomerName string
	Metadata     Metadata
	// Sentiment is what an automatic tone analysis reports, -1..1 with two decimals.
	Sentiment float64
	// Fields are further columns of imported tickets that an agent may see.
	Fields map[string]string
}

// Queue gives the ticket as an agent of the queue track sees it.
func (t *Ticket) Queue() QueueTicket {
	return QueueTicket{ID: t.ID, Subject: t.Subject, Description: t.Body, Metadata: t.Metadata}
}

// IssueText gives subject, an empty line and body: the text of the desk track.
func (t *Ticket) IssueText() string { return t.Subject + "\n\n" + t.Body }

// Case is a ticket with everything behind it. Only generators, graders and environments hold one.
type Case struct {
	Ticket Ticket
	Facts  Facts
	Truth  Truth
}
