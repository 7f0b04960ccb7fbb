package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// entry is one member of a request as it will go out.
type entry struct {
	name        string
	quoted      []byte // the name as it stood in the request; nil where it was given another or is new
	value       []byte
	gone, moved bool // left out; given another name
}

// Rewrite changes the top-level members of a JSON object as the call says, and nothing else: other members keep their
// bytes and their order. Set replaces a member where it stands or adds it at the end, Drop leaves members out, Rename gives
// others their new name (a member that bears that name already stays, and the renamed one is left out). Each message gets
// a content, empty where it had none. A name that came twice goes out once, with the last value. It is an error where the
// body is no JSON object and something was to be changed, and where a value of Set is not JSON; a body that is no object is
// given back as it is otherwise.
func Rewrite(body []byte, c *Call) ([]byte, error) {
	list, same, ok := entries(body)
	if !ok {
		if len(c.Set)+len(c.Drop)+len(c.Rename) == 0 {
			return body, nil
		}
		return nil, fmt.Errorf("request body must be a JSON object to be changed: it begins with %q", head(body, 20))
	}
	list, changed, err := applied(list, c)
	if err != nil {
		return nil, err
	}
	if same && !changed {
		return body, nil
	}
	return write(list), nil
}

func head(b []byte, n int) []byte { return b[:min(n, len(b))] }

// entries lists the members of an object, with a content in each message. same says that all stand as they stood: no name
// came twice, no content was missing.
func entries(body []byte) (list []entry, same, ok bool) {
	c, ok := object(body)
	if !ok {
		return nil, false, false
	}
	list = make([]entry, 0, 12)
	same = true
	for {
		quoted, ok := c.name()
		if !ok {
			break
		}
		e := entry{name: nameOf(quoted), quoted: quoted}
		if e.name == "messages" && c.i < len(body) && body[c.i] == '[' {
			var filled bool
			if e.value, filled = c.messages(); filled {
				same = false
			}
		} else {
			e.value, _ = c.value()
		}
		if i := find(list, e.name); i >= 0 {
			list[i].value, same = e.value, false
			continue
		}
		list = append(list, e)
	}
	return list, same, c.whole()
}

func find(list []entry, name string) int {
	for i := range list {
		if list[i].name == name {
			return i
		}
	}
	return -1
}

// applied changes the list as the call says, and tells whether anything became other than it was.
func applied(list []entry, c *Call) ([]entry, bool, error) {
	changed := false
	for _, f := range c.Set {
		if !f.Sound && !json.Valid(f.Value) {
			return nil, false, fmt.Errorf("request field %s: %q is not JSON", f.Name, head(f.Value, 40))
		}
		changed = true
		if i := find(list, f.Name); i >= 0 {
			list[i].value = f.Value
		} else {
			list = append(list, entry{name: f.Name, value: f.Value})
		}
	}
	for _, name := range c.Drop {
		if i := find(list, name); i >= 0 {
			list[i].gone, changed = true, true
		}
	}
	if len(c.Rename) == 0 {
		return list, changed, nil
	}
	for i := range list {
		to, ok := c.Rename[list[i].name]
		if ok && !list[i].gone && to != list[i].name {
			list[i].name, list[i].quoted, list[i].moved, changed = to, nil, true, true
		}
	}
	for i := range list {
		list[i].gone = list[i].gone || list[i].moved && taken(list, i)
	}
	return list, changed, nil
}

// taken tells whether the new name of member i is the name of another that stays.
func taken(list []entry, i int) bool {
	for j := range list {
		if j != i && !list[j].gone && list[j].name == list[i].name && (j < i || !list[j].moved) {
			return true
		}
	}
	return false
}

func write(list []entry) []byte {
	size := 2
	for i := range list {
		size += max(len(list[i].quoted), len(list[i].name)+2) + len(list[i].value) + 2
	}
	out := append(make([]byte, 0, size), '{')
	for i := range list {
		if list[i].gone {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		if list[i].quoted != nil {
			out = append(out, list[i].quoted...)
		} else {
			out = append(out, quote(list[i].name)...)
		}
		out = append(out, ':')
		out = append(out, list[i].value...)
	}
	return append(out, '}')
}

// messages reads the array that is the value of a member, gives an empty content to each object in it that has none, and
// tells whether there was such a one. It goes over a prompt once: prompts are long.
func (c *cursor) messages() (value []byte, filled bool) {
	all := c.b[c.i:]
	in, _ := array(all)
	var out []byte
	from := 0
	for {
		m, ok := in.element()
		if !ok {
			break
		}
		last := in.i - 1 // of the closing bracket
		if m[0] != '{' || hasMember(m, "content") {
			continue
		}
		out = append(out, all[from:last]...)
		if len(bytes.TrimSpace(m[1:len(m)-1])) > 0 {
			out = append(out, ',')
		}
		out = append(out, `"content":""`...)
		from = last
	}
	if !in.done {
		c.bad = true
		return nil, false
	}
	c.i += in.i
	if out == nil {
		return all[:in.i], false
	}
	return append(out, all[from:in.i]...), true
}

func hasMember(b []byte, name string) bool {
	c, _ := object(b)
	for {
		quoted, ok := c.name()
		if !ok {
			// What cannot be read is left as it is.
			return c.bad
		}
		// A content is long: it is enough to know that it is there.
		if string(quoted[1:len(quoted)-1]) == name || nameOf(quoted) == name {
			return true
		}
		if _, ok = c.value(); !ok {
			return true
		}
	}
}
