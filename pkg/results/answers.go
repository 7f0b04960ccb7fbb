package results

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"github.com/triagebench/triage/pkg/triage"
)

// Playing names one playing of an episode.
type Playing struct {
	Seed     int64
	Position int32 // -1 for a whole episode
	Trial    int16
}

// Compare orders playings by seed, position and trial.
func (p Playing) Compare(o Playing) int {
	return cmp.Or(cmp.Compare(p.Seed, o.Seed), cmp.Compare(p.Position, o.Position), cmp.Compare(p.Trial, o.Trial))
}

// answersOf is a hash of what an episode was answered: of each step the action in one form, so that it is the same from memory and from
// a log, whoever wrote that, and whether it was refused (not why: messages are worded anew). Of an episode that broke only that is
// taken, as what was answered before depends on when it broke.
func answersOf(ep *triage.Episode) uint64 {
	var room [1024]byte
	data := room[:0]
	if ep.Score == nil || ep.Ended == triage.EndedError {
		data = append(data, "broke"...)
	} else {
		var actionRoom [512]byte
		enc := triage.Encoder{Buf: actionRoom[:0]}
		for i := range ep.Steps {
			s := &ep.Steps[i]
			enc.Buf = enc.Buf[:0]
			enc.Answer(&s.Action)                        // how sure an agent was is no part of its answer
			data = triage.AppendCanonical(data, enc.Buf) // JSON ends where it ends: no other steps have these bytes
			if s.Error != "" {
				data = append(data, "refused"...)
			}
			data = append(data, '\n')
		}
	}
	sum := sha256.Sum256(data)
	return binary.BigEndian.Uint64(sum[:])
}

// answersDigest joins the hashes of episodes, in whatever order they come.
func answersDigest(records []Record) string {
	if len(records) == 0 {
		return ""
	}
	playing := func(r *Record) Playing { return Playing{r.Seed, r.Position, r.Trial} }
	order := make([]*Record, len(records))
	for i := range records {
		order[i] = &records[i]
	}
	slices.SortStableFunc(order, func(a, b *Record) int { return playing(a).Compare(playing(b)) })
	h := sha256.New()
	var line [8 + 4 + 2 + 8]byte
	for _, r := range order {
		binary.BigEndian.PutUint64(line[:], uint64(r.Seed))
		binary.BigEndian.PutUint32(line[8:], uint32(r.Position))
		binary.BigEndian.PutUint16(line[12:], uint16(r.Trial))
		binary.BigEndian.PutUint64(line[14:], r.Answers)
		_, _ = h.Write(line[:]) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))[:answersLength]
}

// answersLength is how many hex digits of a digest of answers are kept.
const answersLength = 16
