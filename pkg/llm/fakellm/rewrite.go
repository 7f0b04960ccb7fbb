package fakellm

import (
	"encoding/json"
	"strings"
)

// rewrite walks JSON and changes its strings (with their quotes; key tells names of members) and its other words.
func rewrite(text string, str func(raw string, key bool) string, word func(raw string) string) string {
	if !json.Valid([]byte(text)) {
		return text
	}
	var out strings.Builder
	data := []byte(text)
	for i := 0; i < len(data); {
		switch c := data[i]; {
		case c == '"':
			end := skipString(data, i)
			next := skipSpace(data, end)
			out.WriteString(str(text[i:end], next < len(data) && data[next] == ':'))
			i = end
		case strings.IndexByte("{}[]:, \n\t\r", c) >= 0:
			out.WriteByte(c)
			i++
		default:
			end := skipValue(data, i)
			out.WriteString(word(text[i:end]))
			i = end
		}
	}
	return out.String()
}

func same(raw string, _ bool) string { return raw }

// pythonDict writes JSON as Python prints it.
func pythonDict(text string) string {
	return rewrite(text, func(raw string, _ bool) string {
		s := unquote([]byte(raw))
		if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
			return `"` + strings.ReplaceAll(s, "\n", `\n`) + `"`
		}
		return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`).Replace(s) + "'"
	}, func(raw string) string {
		switch raw {
		case "true":
			return "True"
		case "false":
			return "False"
		case "null":
			return "None"
		}
		return raw
	})
}

// numbersAs writes the whole numbers of JSON otherwise.
func numbersAs(text string, f func(string) string) string {
	return rewrite(text, same, func(raw string) string {
		if strings.Trim(raw, "-0123456789") == "" {
			return f(raw)
		}
		return raw
	})
}

// upperCase writes the texts of JSON in capital letters, not the names.
func upperCase(text string) string {
	return rewrite(text, func(raw string, key bool) string {
		if key {
			return raw
		}
		return quoted(strings.ToUpper(unquote([]byte(raw))))
	}, func(raw string) string { return raw })
}

// yamlLines writes a JSON object as lines of YAML; anything else stays as it is.
func yamlLines(text string) string {
	members, err := membersOf([]byte(text))
	if err != nil || !json.Valid([]byte(text)) {
		return text
	}
	var out strings.Builder
	for _, m := range members {
		value := string(m.value)
		if s := unquote(m.value); s != "" && !strings.ContainsAny(s, ":#'\"\n{}[]&*!|>%@`") {
			value = s
		}
		out.WriteString(m.name + ": " + value + "\n")
	}
	return out.String()
}

// objectOr gives the text as it stands where it is JSON, and as a JSON string elsewhere.
func objectOr(text string) string {
	if json.Valid([]byte(text)) {
		return text
	}
	return quoted(text)
}
