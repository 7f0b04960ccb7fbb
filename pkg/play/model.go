package play

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Options say how a session is shown.
type Options struct {
	// Feedback shows after each answer how it was graded.
	Feedback bool
	// Kept is the run folder, or empty where the answers are kept nowhere.
	Kept string
	// Rules are what Help shows below the keys, such as the handbook; clean or not.
	Rules string
}

// Outcome is how a sitting ended.
type Outcome int

// The outcomes: all tickets are answered, the person left, or broke off with Ctrl-C.
const (
	Finished Outcome = iota
	Left
	BrokenOff
)

// screen is what stands on the screen.
type screen int

const (
	answering screen = iota
	helping
	grading // the feedback to an answer
	asking  // all is answered: really done?
)

// Model is the full-screen form of a session: a [tea.Model]. Update and View are all that a test needs.
type Model struct {
	session *Session
	opts    Options

	width, height int
	screen        screen
	back          screen // from helping
	values        map[string]string
	focus         int
	typed         string // of a number, a text, or the search in a list
	searching     bool
	scroll        int
	message       string
	sure          string // the key that was pressed, and has to be pressed again
	outcome       Outcome
	err           error

	wrapped      []string // what is scrolled, for wrappedWidth
	wrappedWidth int
}

var _ tea.Model = (*Model)(nil)

// NewModel makes the model of a session that was started. It is 80 columns by 24 lines large until it is told its size.
func NewModel(s *Session, o Options) *Model {
	m := &Model{session: s, opts: o, width: 80, height: 24, outcome: Left}
	m.next()
	return m
}

// Outcome is how the sitting ended, and the error that ended it, if one did.
func (m *Model) Outcome() (Outcome, error) { return m.outcome, m.err }

// Init has nothing to do.
func (m *Model) Init() tea.Cmd { return nil }

// Update takes a key, a paste or a new size.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = max(1, msg.Width), max(1, msg.Height)
	case tea.PasteMsg:
		if m.screen == answering && m.typing() {
			m.typeText(msg.Content)
		}
	case tea.KeyPressMsg:
		return m, m.press(msg.Key())
	}
	return m, nil
}

// next shows the ticket that comes now.
func (m *Model) next() {
	m.values, m.focus, m.typed, m.searching, m.scroll, m.sure, m.wrapped = map[string]string{}, 0, "", false, 0, "", nil
	m.screen = answering
	if m.session.Ticket() == nil {
		m.screen = asking
	}
}

// press does what a key means.
func (m *Model) press(k tea.Key) tea.Cmd {
	key := tea.KeyPressMsg(k).String()
	if key == "ctrl+c" {
		m.outcome = BrokenOff
		return tea.Quit
	}
	m.message = ""
	sure := m.sure
	m.sure = ""
	switch m.screen {
	case helping:
		m.pressHelp(key)
	case grading:
		if key == "?" {
			m.help()
		} else if !m.move(key) {
			m.next()
		}
	case asking:
		return m.pressDone(key)
	case answering:
		if m.edit(key, k.Text) || m.move(key) || m.walk(key) {
			return nil
		}
		return m.command(key, sure)
	}
	return nil
}

func (m *Model) pressHelp(key string) {
	if !m.move(key) {
		m.screen, m.scroll, m.wrapped = m.back, 0, nil
	}
}

func (m *Model) pressDone(key string) tea.Cmd {
	switch key {
	case "enter", "q":
		m.outcome = Finished
		return tea.Quit
	case "u":
		return m.undo()
	}
	return nil
}

func (m *Model) help() { m.back, m.screen, m.scroll, m.wrapped = m.screen, helping, 0, nil }

// command does what is left of keys. sure is the key before, where it has to be pressed twice.
func (m *Model) command(key, sure string) tea.Cmd {
	again := func(text string) bool {
		if sure == key {
			return true
		}
		m.sure, m.message = key, text
		return false
	}
	switch key {
	case "enter":
		if !m.leave() {
			return nil
		}
		if open := m.session.Ticket().missing(m.values); len(open) == 0 || again("no "+strings.Join(open, ", ")+": Enter again sends it so") {
			return m.send()
		}
	case "s":
		if again("s again skips the ticket: no answer, which earns nothing and counts") {
			m.values = map[string]string{}
			return m.send()
		}
	case "u":
		return m.undo()
	case "q":
		if m.opts.Kept != "" || again("q again leaves: without --out the answers are kept nowhere") {
			return tea.Quit
		}
	case "?":
		m.help()
	}
	return nil
}

func (m *Model) send() tea.Cmd {
	a, err := m.session.Ticket().Action(m.values)
	if err != nil {
		m.message = err.Error()
		return nil
	}
	if err := m.session.Answer(a); err != nil {
		m.err = err
		return tea.Quit
	}
	m.next()
	if m.opts.Feedback && m.session.Last() != nil {
		m.screen = grading
	}
	return nil
}

// undo goes back to the ticket before.
func (m *Model) undo() tea.Cmd {
	switch {
	case m.opts.Feedback:
		m.message = "with --feedback nothing is taken back: the right answer was shown"
		return nil
	case !m.session.CanUndo():
		m.message = "there is no answer of this sitting to take back"
		return nil
	}
	if err := m.session.Undo(); err != nil {
		m.err = err
		return tea.Quit
	}
	m.next()
	m.message = "the last answer is taken back: answer anew"
	return nil
}

// Size is the size of the terminal that the model was told last, in columns and lines.
func (m *Model) Size() (width, height int) { return m.width, m.height }
