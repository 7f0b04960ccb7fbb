package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/triagebench/triage/pkg/triage"
)

// The files of a run folder.
const (
	RunFile      = "run.json"
	JournalFile  = "journal.jsonl"
	EpisodesFile = "episodes.jsonl"
	LearnedFile  = "learned.json" // what the endpoints of models refused
)

// syncEvery is how often the journal is forced to disk. It is handed to the system with each episode, so that a process
// that is killed loses nothing that was finished.
const syncEvery = time.Second

// Index finds the place of a key in the plan of a run, or -1.
type Index func(triage.Key) int

// Journal is the append-only file of a run folder in which episodes stand in the order in which they finished.
type Journal struct {
	root    *os.Root
	file    *os.File
	enc     triage.Encoder
	size    int64
	offsets []int64                      // by place in the plan; -1 where the episode is not done
	steps   map[triage.Key][]triage.Step // of episodes that are not done, from an interrupted run
	now     func() time.Time
	synced  time.Time
}

// CreateRun starts a run folder: it writes run.json and an empty journal. A folder that holds a run already is refused.
func CreateRun(root *os.Root, settings Settings, total int, now func() time.Time) (*Journal, error) {
	for _, name := range []string{RunFile, JournalFile, EpisodesFile} {
		if _, err := root.Lstat(name); err == nil {
			return nil, &triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf(
				"%s holds a run already: go on with --resume, give another --out, or remove the folder", root.Name())}
		}
	}
	if err := WriteFile(root, RunFile, settings.write); err != nil {
		return nil, err
	}
	return openJournal(root, total, now)
}

// ResumeRun opens a run folder again. Settings that differ are refused with the names of what differs. A torn last line is
// cut off. done is called with the place in the plan and the record of each episode that is there.
func ResumeRun(root *os.Root, settings Settings, total int, index Index, now func() time.Time, done func(place int, ep *triage.Episode)) (*Journal, error) {
	was, err := ReadSettings(root)
	if err != nil {
		return nil, err
	}
	if diff := was.Differences(settings); len(diff) > 0 {
		return nil, &triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf(
			"%s was run with other settings: %s; --resume takes the flags of the first run", root.Name(), joinDifferences(diff))}
	}
	if err := recoverJournal(root); err != nil {
		return nil, err
	}
	j, err := openJournal(root, total, now)
	if err != nil {
		return nil, err
	}
	if err := removeParts(root, EpisodesFile); err != nil {
		return nil, errors.Join(err, j.file.Close())
	}
	if err := j.replay(index, done); err != nil {
		return nil, errors.Join(err, j.file.Close())
	}
	return j, nil
}

// recoverJournal makes the journal of a folder that has only its episodes, as merged ones do.
func recoverJournal(root *os.Root) error {
	if _, err := root.Lstat(JournalFile); !errors.Is(err, os.ErrNotExist) {
		return nil
	}
	f, err := OpenRegular(root, EpisodesFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fileError("open", root, EpisodesFile, err)
	}
	defer func() { _ = f.Close() }() // opened for reading
	return WriteFile(root, JournalFile, func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
}

func openJournal(root *os.Root, total int, now func() time.Time) (*Journal, error) {
	f, err := openRegular(root, JournalFile, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, fileError("open", root, JournalFile, err)
	}
	if err := Lock(f); err != nil {
		return nil, errors.Join(fileError("lock", root, JournalFile, err), f.Close())
	}
	j := &Journal{root: root, file: f, offsets: make([]int64, total), now: now}
	j.enc.Round = true
	for i := range j.offsets {
		j.offsets[i] = -1
	}
	j.synced = now()
	return j, nil
}

// replay reads the lines that are there. The last one is cut off if it is torn; a torn line elsewhere is an error. Of two
// lines with one key the later counts, and of a broken episode none: it is played again, from its steps that are there.
func (j *Journal) replay(index Index, done func(int, *triage.Episode)) error {
	err := j.eachLine(func(line int, l *journalLine) error {
		place := index(l.Key)
		if place < 0 {
			return &triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf("%s:%d: episode %s is not in the plan of this run",
				j.name(), line, l.Key)}
		}
		if l.Step == nil && l.Ended != triage.EndedError {
			j.offsets[place] = j.size
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := j.file.Truncate(j.size); err != nil {
		return fileError("truncate", j.root, JournalFile, err)
	}
	end := j.size
	j.size = 0
	j.steps = map[triage.Key][]triage.Step{}
	err = j.eachLine(func(line int, l *journalLine) error {
		switch place := index(l.Key); {
		case l.Step != nil && j.offsets[place] < 0:
			if err := j.keepStep(l); err != nil {
				return &triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf("%s:%d: step %d of %s", j.name(), line, l.Index, l.Key), Err: err}
			}
		case l.Step == nil && j.offsets[place] == j.size:
			done(place, l.Episode())
		}
		return nil
	})
	if err == nil && j.size != end {
		err = &triage.Error{Code: triage.CodeFiles, Message: j.name() + " changed while it was read: is another run writing it?"}
	}
	return err
}

// keepStep takes a step of an episode that is not done. A step that was played again replaces the one before and what followed.
func (j *Journal) keepStep(l *journalLine) error {
	list := j.steps[l.Key]
	if l.Index < 0 || l.Index > len(list) {
		return fmt.Errorf("%d steps stand before it", len(list))
	}
	s, err := l.Step.step(l.Key.Task)
	if err != nil {
		return err
	}
	j.steps[l.Key] = append(list[:l.Index], s)
	return nil
}

// Before gives the steps of an episode that is not done which an interrupted run has played, in their order.
func (j *Journal) Before(key triage.Key) []triage.Step { return j.steps[key] }

func (j *Journal) name() string { return filepath.Join(j.root.Name(), JournalFile) }

// journalLine is a finished episode, or a finished step of one that is not.
type journalLine struct {
	Logged
	Index int         `json:"index"`
	Step  *LoggedStep `json:"step"`
}

func parseJournalLine(data []byte) (*journalLine, error) {
	l := new(journalLine)
	if err := json.Unmarshal(data, l); err != nil {
		return nil, err
	}
	if err := l.Key.Validate(); err != nil || l.Step != nil {
		return l, err
	}
	return l, l.check()
}

// eachLine calls f for each whole line from the beginning; the line begins at j.size then, which grows with each.
func (j *Journal) eachLine(f func(line int, l *journalLine) error) error {
	if _, err := j.file.Seek(0, io.SeekStart); err != nil {
		return fileError("seek", j.root, JournalFile, err)
	}
	_, err := eachJournalLine(j.file, j.name(), func(line, size int, l *journalLine) error {
		if err := f(line, l); err != nil {
			return err
		}
		j.size += int64(size)
		return nil
	})
	return err
}

// eachJournalLine calls f for each whole line of a journal, with its number from 1 and its size. What stands after the last line
// end, or in a last line that cannot be read, is torn.
func eachJournalLine(file io.Reader, name string, f func(line, size int, l *journalLine) error) (torn bool, err error) {
	r := bufio.NewReaderSize(file, 1<<16)
	for line := 1; ; line++ {
		data, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return len(data) > 0, nil
		}
		if err != nil {
			return false, &triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf("%s:%d", name, line), Err: err}
		}
		l, err := parseJournalLine(bytes.TrimSpace(data))
		if err != nil {
			if _, peek := r.Peek(1); errors.Is(peek, io.EOF) {
				return true, nil
			}
			return false, &triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf("%s:%d: not an episode", name, line), Err: err}
		}
		if err := f(line, len(data), l); err != nil {
			return false, err
		}
	}
}

// Done tells whether the episode at a place of the plan is in the journal.
func (j *Journal) Done(place int) bool { return j.offsets[place] >= 0 }

// Append adds a finished episode.
func (j *Journal) Append(place int, ep *triage.Episode) error {
	j.enc.Buf = j.enc.Buf[:0]
	j.enc.Episode(ep)
	at := j.size
	if err := j.write(); err != nil {
		return err
	}
	j.offsets[place] = at
	return nil
}

// AppendStep adds a finished step of an episode that goes on, for agents whose steps cost something: a run that is killed
// plays them again for nothing.
func (j *Journal) AppendStep(key triage.Key, index int, s *triage.Step) error {
	j.enc.Buf = j.enc.Buf[:0]
	j.enc.Step(key, index, s)
	return j.write()
}

// write appends the encoder's line.
func (j *Journal) write() error {
	j.enc.Buf = append(j.enc.Buf, '\n')
	// At a fixed place, so that what a failed write left behind is written over.
	if _, err := j.file.WriteAt(j.enc.Buf, j.size); err != nil {
		return fileError("write", j.root, JournalFile, err)
	}
	j.size += int64(len(j.enc.Buf))
	t := j.now()
	if t.Sub(j.synced) >= syncEvery {
		if err := j.file.Sync(); err != nil {
			return fileError("sync", j.root, JournalFile, err)
		}
		j.synced = t
	}
	return nil
}

// Empty tells whether nothing was played: there is no episode, and no step of one.
func (j *Journal) Empty() bool { return j.size == 0 }

// Discard ends a run that [CreateRun] began and in which nothing was played: its journal and its run.json are removed, so that the
// same command can be given again. Other files of the folder stay.
func (j *Journal) Discard() error {
	var err error
	for _, name := range []string{RunFile, JournalFile} { // the lock is held until the end
		if e := ignoreMissing(j.root.Remove(name)); e != nil {
			err = errors.Join(err, fileError("remove", j.root, name, e))
		}
	}
	if e := j.file.Close(); e != nil {
		err = errors.Join(err, fileError("close", j.root, JournalFile, e))
	}
	return err
}

// Finish writes episodes.jsonl from the journal, in the plan's order, and closes the journal. It is called also after an
// interruption: what is done is written.
func (j *Journal) Finish() error {
	err := j.file.Sync()
	if err != nil {
		err = fileError("sync", j.root, JournalFile, err)
	} else {
		err = WriteFile(j.root, EpisodesFile, j.copyInOrder)
	}
	if closeErr := j.file.Close(); err == nil && closeErr != nil {
		err = fileError("close", j.root, JournalFile, closeErr)
	}
	return err
}

// lineHead begins every line of a journal.
const lineHead = `{"key":{"agent":`

func (j *Journal) copyInOrder(w io.Writer) error {
	r := bufio.NewReaderSize(nil, 1<<16)
	at := int64(-1) // where the reader stands
	for _, offset := range j.offsets {
		if offset < 0 {
			continue
		}
		if at != offset {
			r.Reset(io.NewSectionReader(j.file, offset, j.size-offset))
			at = offset
		}
		if head, err := r.Peek(len(lineHead)); err != nil || string(head) != lineHead {
			return errors.New(JournalFile + " was changed while the run was writing it")
		}
		for {
			part, err := r.ReadSlice('\n')
			at += int64(len(part))
			if _, werr := w.Write(part); werr != nil {
				return werr
			}
			if err == nil {
				break
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return err
			}
		}
	}
	return nil
}
