package synth

import "github.com/triagebench/triage/pkg/triage"

// The chances, by difficulty, that the category picked in the form is wrong or empty.
var formNoise = map[triage.Difficulty]struct{ wrong, empty float64 }{
	triage.Easy:   {},
	triage.Medium: {wrong: 0.30, empty: 0.10},
	triage.Hard:   {wrong: 0.50, empty: 0.15},
}

// Channels and languages decide nothing.
var (
	channels       = []string{"email", "web_form", "chat", "phone_note"}
	languages      = []string{"en", "en-GB", "en-US", "de", "nl", "fr", "es"}
	languageShares = []int{40, 20, 20, 6, 5, 5, 4}
)

// fillForm fills in what the customer picked and what the desk's system noted.
func (m *maker) fillForm(c *triage.Case) {
	d, f := &m.form, &c.Facts
	n := formNoise[m.src.task.Difficulty]
	selected := f.Primary.Route
	switch x := d.Float64(); {
	case x < n.wrong:
		routes := triage.Routes()
		i := d.IntN(len(routes) - 1)
		if routes[i] == selected {
			i = len(routes) - 1
		}
		selected = routes[i]
	case x < n.wrong+n.empty:
		selected = ""
	}
	c.Ticket.Metadata = triage.Metadata{
		Channel:          d.pick(channels),
		CustomerTier:     f.Tier,
		WaitTimeHours:    f.WaitHours,
		IsEscalated:      f.Escalated,
		PreviousContacts: f.PreviousContacts,
		SelectedCategory: selected,
		Language:         languages[d.weighted(languageShares)],
		Attachments:      max(0, d.IntN(6)-2),
	}
	c.Ticket.Sentiment = f.Sentiment
}
