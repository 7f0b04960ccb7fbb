package triage

import (
	"encoding/json"
	"fmt"
	"slices"
)

// WhyCode says why a part was graded as it was. It is rendered only when somebody asks.
type WhyCode uint8

// The reasons.
const (
	WhyNone WhyCode = iota
	WhyExact
	WhyAbsent
	WhySecondary // the secondary request's team or department
	WhyOneOff    // one level away
	WhyTwoOff    // two days away
	WhyFar       // further away than earns anything
	WhyNear      // a number near the right one
	WhyWrong     // a wrong nominal value
	WhyPartial   // earns part of the credit by the handbook
	WhyText      // recommendation: Want says what was found
	WhyRead      // read from a file, as it was rendered then
)

// Why explains a part. It names the truth, so it stands in result files and reports, never in an observation.
type Why struct {
	Code      WhyCode
	Got, Want string
	text      string // as rendered, where it comes from a file
}

// Equal tells whether two reasons are the same.
func (w Why) Equal(other Why) bool { return w == other }

// String renders the reason as a sentence fragment.
func (w Why) String() string {
	switch w.Code {
	case WhyExact:
		return fmt.Sprintf("%s is right", w.Want)
	case WhyAbsent:
		return fmt.Sprintf("no answer; right is %s", w.Want)
	case WhySecondary:
		return fmt.Sprintf("%s is the secondary request's team; right is %s", w.Got, w.Want)
	case WhyOneOff:
		return fmt.Sprintf("%s is one off; right is %s", w.Got, w.Want)
	case WhyTwoOff:
		return fmt.Sprintf("%s is two off; right is %s", w.Got, w.Want)
	case WhyFar:
		return fmt.Sprintf("%s is too far off; right is %s", w.Got, w.Want)
	case WhyNear:
		return fmt.Sprintf("%s is near; right is %s", w.Got, w.Want)
	case WhyWrong:
		return fmt.Sprintf("%s is wrong; right is %s", w.Got, w.Want)
	case WhyPartial:
		return fmt.Sprintf("%s earns part of the credit; right is %s", w.Got, w.Want)
	case WhyText:
		return w.Want
	case WhyRead:
		return w.text
	}
	return ""
}

// Part is one graded aspect of an answer.
type Part struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`  // 0..1
	Weight float64 `json:"weight"` // 0..1, the weights of a score sum to 1
	// Why is left out here, so that an observation cannot hold it; [Encoder.Score] writes it.
	Why Why `json:"-"`
}

// Score is a total with the parts that make it up.
type Score struct {
	Total float64
	Parts []Part
}

// MarshalJSON encodes the score with the reason of each part. It is for result files, never for observations.
func (s Score) MarshalJSON() ([]byte, error) {
	var e Encoder
	e.Score(&s)
	return e.Buf, nil
}

// UnmarshalJSON reads a score from a result file.
func (s *Score) UnmarshalJSON(data []byte) error {
	var in struct {
		Total float64 `json:"total"`
		Parts []struct {
			Name   string  `json:"name"`
			Value  float64 `json:"value"`
			Weight float64 `json:"weight"`
			Got    string  `json:"got"`
			Want   string  `json:"want"`
			Why    string  `json:"why"`
		} `json:"parts"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	s.Total, s.Parts = in.Total, make([]Part, len(in.Parts))
	for i, p := range in.Parts {
		s.Parts[i] = Part{Name: p.Name, Value: p.Value, Weight: p.Weight, Why: Why{Code: WhyRead, Got: p.Got, Want: p.Want, text: p.Why}}
	}
	return nil
}

// Clone gives a copy that shares nothing with what an environment goes on using.
func (s *Score) Clone() *Score { return &Score{Total: s.Total, Parts: slices.Clone(s.Parts)} }

// Part finds a part by name.
func (s Score) Part(name string) (Part, bool) {
	for _, p := range s.Parts {
		if p.Name == name {
			return p, true
		}
	}
	return Part{}, false
}
