package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The limits of a runtime plan.
const (
	maxPlanBytes, maxPlanActions = 65_536, 100
	maxPlanDepth, maxPlanNodes   = 32, 10_000
	maxPlanID                    = 128
)

// readPlan reads a runtime plan; it gives the number of actions and what is wrong.
func readPlan(data []byte) (actions int, problems []string) {
	if len(data) > maxPlanBytes {
		return 0, []string{fmt.Sprintf("%d bytes, allowed are %d", len(data), maxPlanBytes)}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		return 0, []string{"it is no UTF-8"}
	}
	v, err := readUnique(data, maxPlanDepth, maxPlanNodes)
	if err != nil {
		return 0, []string{err.Error()}
	}
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	plan, ok := v.(map[string]any)
	if !ok {
		return 0, []string{"it is no object"}
	}
	unknown(plan, wrong, "plan_schema_version", "reset", "actions")
	if plan["plan_schema_version"] != "1" {
		wrong(`plan_schema_version must be "1"`)
	}
	if reset, ok := plan["reset"].(map[string]any); ok {
		readPlanReset(reset, wrong)
	} else {
		wrong("reset must be an object")
	}
	list, ok := plan["actions"].([]any)
	if !ok || len(list) == 0 || len(list) > maxPlanActions {
		wrong("actions must be a list of 1 to %d", maxPlanActions)
	}
	for i, a := range list {
		if _, ok := a.(map[string]any); !ok {
			wrong("actions.%d is no object", i)
		}
	}
	return len(list), problems
}

func readPlanReset(reset map[string]any, wrong func(string, ...any)) {
	unknown(reset, wrong, "episode_id", "seed", "options")
	id, ok := reset["episode_id"].(string)
	if n := utf8.RuneCountInString(id); !ok || n < 1 || n > maxPlanID {
		wrong("reset.episode_id must be a text of 1 to %d characters", maxPlanID)
	}
	number, _ := reset["seed"].(json.Number)
	if seed, err := strconv.ParseInt(string(number), 10, 64); err != nil || seed < 0 || seed > math.MaxUint32 {
		wrong("reset.seed must be an integer from 0 to %d", uint32(math.MaxUint32))
	}
	if v, there := reset["options"]; there {
		options, ok := v.(map[string]any)
		if !ok {
			wrong("reset.options must be an object")
		}
		for _, key := range []string{"episode_id", "seed"} {
			if _, ok := options[key]; ok {
				wrong("reset.options must not have %s", key)
			}
		}
	}
}

// unknown finds fault with keys that are not among the known ones.
func unknown(m map[string]any, wrong func(string, ...any), known ...string) {
	rest := []string{}
next:
	for key := range m {
		for _, k := range known {
			if key == k {
				continue next
			}
		}
		rest = append(rest, key)
	}
	sort.Strings(rest)
	for _, key := range rest {
		wrong("%s is unknown", brief([]byte(key)))
	}
}

var (
	errTwice  = errors.New("a key stands twice")
	errNested = errors.New("it has too many values, or they are nested too deeply")
)

// readUnique reads JSON in which no key stands twice, of bounded depth and size; numbers as they are written.
func readUnique(data []byte, depth, nodes int) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	v, err := uniqueValue(dec, depth, &nodes)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errTrailing
	}
	return v, nil
}

func uniqueValue(dec *json.Decoder, depth int, nodes *int) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	if *nodes--; *nodes < 0 || depth < 0 {
		return nil, errNested
	}
	if n, ok := token.(json.Number); ok && strings.ContainsAny(string(n), ".eE") {
		if f, err := n.Float64(); err != nil || math.IsInf(f, 0) {
			return nil, fmt.Errorf("the number %s is not finite", brief([]byte(n)))
		}
	}
	switch token {
	case json.Delim('['):
		out := []any{}
		for dec.More() {
			v, err := uniqueValue(dec, depth-1, nodes)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		_, err := dec.Token()
		return out, err
	case json.Delim('{'):
		return uniqueObject(dec, depth, nodes)
	}
	return token, nil
}

func uniqueObject(dec *json.Decoder, depth int, nodes *int) (any, error) {
	out := map[string]any{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		key, ok := token.(string)
		if !ok {
			return nil, errors.New("a key is no text")
		}
		if _, twice := out[key]; twice {
			return nil, fmt.Errorf("%w: %s", errTwice, brief([]byte(key)))
		}
		if out[key], err = uniqueValue(dec, depth-1, nodes); err != nil {
			return nil, err
		}
	}
	_, err := dec.Token()
	return out, err
}
