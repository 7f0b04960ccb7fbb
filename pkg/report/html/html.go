// Package html makes the report of runs as one page: a single file that holds markup, style, script, charts and every ticket,
// works offline and asks nothing of a network. Tables and charts stand in the markup; the tickets lie in it compressed, and
// the script unpacks them when they are looked at.
//
// It is no server (a page can be written again and again, so that one can serve it) and plays nothing. Start at [Collect] and
// [Page.Write]; [New] with [Page.AddComparison] makes a page without runs.
package html

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// Options say how a page is made. The zero value is a page of everything, to be written into a file.
type Options struct {
	// Title is the heading; empty means a plain one.
	Title string
	// Names are what the page calls the folders, in their order: as they were given on a command line. A missing or empty one
	// means the last element of the folder's path.
	Names []string
	// Keep chooses the episodes; nil keeps all.
	Keep func(k triage.Key) bool
	// Cost gives what the answers of an agent on a task cost in a run, by its place among the folders; nil where that is not known. A nil
	// function means that costs were not asked for.
	Cost func(run int, agent, task string) *results.CostFigures
	// Live is set for a page that is served while its run goes on; nil for a file.
	Live *Live
	// Home is the address of a list of all runs, for a page that is served beside one; empty for none.
	Home string
}

// Live is what a served page needs to follow a run.
type Live struct {
	// Address is where the page asks how far the run is, relative to its own address, such as "progress.json": the answer is a
	// [Progress] as JSON, of the page's own origin.
	Address string
	Progress
}

// Progress says how far a run is. The page shows it as a bar, and offers what is new where Version changes.
type Progress struct {
	Done    int    `json:"done"`    // episodes that are finished
	Planned int    `json:"planned"` // episodes of the run; 0 where that is not known
	Ended   bool   `json:"ended"`   // the run goes on no more: the page asks no more
	Version string `json:"version"` // names what the page was made of
}

// Page is a report of runs, comparisons or both.
type Page struct {
	options     Options
	runs        []runInfo
	tallies     []*tally // an agent of a run on a task each, in the order of tables
	tickets     *tickets
	traps       *names
	scenarios   []string // by number
	comparisons []*compare.Comparison
	rankings    []*compare.Ranking
	verdicts    []report.Compared // those that have some
	notes       []string          // what is to be doubted about the whole
}

// New makes an empty page, for what is added to it.
func New(o Options) *Page {
	return &Page{options: o, tickets: newTickets(), traps: newNames()}
}

// Collect reads run folders into a page: their episodes once each, as a stream. A run that goes on or was interrupted is shown as
// far as it is, and the page says so. The error is about a folder that cannot be read, or holds no episodes where nothing of
// it is finished, or the cause why ctx ended, which is looked at between two episodes. The folders are not used after Collect.
func Collect(ctx context.Context, folders []*results.Folder, o Options) (*Page, error) {
	p := New(o)
	c := newCollector(p)
	for i, f := range folders {
		name := filepath.Base(f.Root.Name())
		if i < len(o.Names) && o.Names[i] != "" {
			name = o.Names[i]
		}
		if err := c.folder(ctx, i, name, f); err != nil {
			p.tickets.discard()
			return nil, err
		}
	}
	c.finish()
	return p, p.tickets.close()
}

// FromComparison makes a page of one comparison, which is what its title says where there is no other.
func FromComparison(c *compare.Comparison, o Options) *Page {
	if o.Title == "" {
		o.Title = "Comparison"
	}
	p := New(o)
	p.AddComparison(c)
	return p
}

// AddComparison adds a comparison: differences with intervals, what was fixed and broken, and the tickets that moved with both
// answers.
func (p *Page) AddComparison(c *compare.Comparison) { p.comparisons = append(p.comparisons, c) }

// AddRanking adds a ranking of several sides.
func (p *Page) AddRanking(r *compare.Ranking) { p.rankings = append(p.rankings, r) }

// AddVerdicts adds what gates say of comparisons, above everything else but what the page says in short.
func (p *Page) AddVerdicts(list []report.Compared) {
	for _, c := range list {
		if len(c.Verdicts) > 0 {
			p.verdicts = append(p.verdicts, c)
		}
	}
}

// Tickets is the number of tickets that the page's list holds.
func (p *Page) Tickets() int { return p.tickets.total }

func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
