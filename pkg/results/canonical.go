package results

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Canonical gives the bytes that a results file has for the task, in one form: keys sorted, 6 decimals, no spaces. Two sides
// with the same bytes scored the same on the same episodes. Left out is what does not come from the agent's own episodes (the
// floor) and what is not read back from a file (the figures of trials, which follow from the single scores). A summary that
// was read from a file has the bytes of the one that was written.
func (s *TaskSummary) Canonical() ([]byte, error) {
	o := s.object()
	for _, k := range []string{"floor", "floor_reason", "reliability"} {
		delete(o, k)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(o); err != nil {
		return nil, fmt.Errorf("encode the figures of %s: %w", s.Task.Name, err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
