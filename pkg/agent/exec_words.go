package agent

import (
	"fmt"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// splitCommand splits a command line into words, as a POSIX shell quotes them: 'as it is', "with \" and \\", and \ before one
// character. A line break is a blank. No shell is asked, so what would need one is refused: operators, and $ and ` where a
// shell would expand them.
func splitCommand(command string) ([]string, error) {
	bad := func(format string, args ...any) error {
		return &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf("command line %q: %s", command, fmt.Sprintf(format, args...))}
	}
	if strings.IndexByte(command, 0) >= 0 {
		return nil, bad("it holds a zero byte")
	}
	var out []string
	var word strings.Builder
	inWord := false
	quote := byte(0) // that is open
	for i := 0; i < len(command); i++ {
		c := command[i]
		switch {
		case quote == '\'' && c != '\'':
			word.WriteByte(c)
		case c == quote:
			quote = 0
		case c == '\\':
			if i++; i == len(command) {
				return nil, bad(`there is nothing behind the last \`)
			}
			if quote == '"' && !strings.ContainsRune("$`\"\\\n", rune(command[i])) {
				word.WriteByte('\\')
			}
			if command[i] != '\n' { // a line that goes on
				word.WriteByte(command[i])
				inWord = true
			}
		case c == '$' || c == '`':
			return nil, bad(`%c is not expanded, as no shell reads it: put it in single quotes, or give sh -c '…'`, c)
		case quote == '"':
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quote, inWord = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if inWord {
				out = append(out, word.String())
				word.Reset()
				inWord = false
			}
		case strings.IndexByte("|&;<>()", c) >= 0:
			return nil, bad(`%c needs a shell, and none reads it: quote it, or give sh -c '…'`, c)
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, bad("the quote %c is not closed", quote)
	}
	if inWord {
		out = append(out, word.String())
	}
	if len(out) == 0 || out[0] == "" {
		return nil, bad("it names no program, as in exec:'python my_agent.py'")
	}
	return out, nil
}
