package importer

// raw gives the list or object that begins here as it is written. It looks at brackets and strings only.
func (f *jsonFlat) raw() ([]byte, error) {
	start, depth := f.pos, 0
	for f.pos < len(f.data) {
		switch f.data[f.pos] {
		case '"':
			if err := f.string(); err != nil {
				return nil, err
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				f.pos++
				return f.data[start:f.pos], nil
			}
		}
		f.pos++
	}
	return nil, f.broken("")
}

// name finds the name that stands in the path.
func (f *jsonFlat) name(path []byte) (*flatName, error) {
	n := f.names[string(path)]
	if n == nil {
		if len(f.names) > maxNames+maxMembers {
			return nil, memberError{}
		}
		n = &flatName{name: string(path)}
		f.names[n.name] = n
	}
	return n, nil
}

// set gives the field of a name its text: one more line, where both are from one list.
func (f *jsonFlat) set(path, text []byte) error {
	name, err := f.name(path)
	if err != nil {
		return err
	}
	list := 0
	if f.list > 0 {
		list = f.lists
	}
	if name.record == f.record {
		field := &f.fields[name.at]
		if list == 0 || field.list != list {
			field.text = field.text[:0]
		} else {
			field.text = append(field.text, '\n')
		}
		field.text, field.list = append(field.text, text...), list
		return nil
	}
	if f.n >= maxMembers {
		return memberError{}
	}
	if f.n == len(f.fields) {
		f.fields = append(f.fields, flatField{})
	}
	field := &f.fields[f.n]
	field.name, field.list, field.text = name, list, append(field.text[:0], text...)
	name.record, name.at = f.record, f.n
	f.n++
	return nil
}

// pairs reads the list of objects that begins here and gives the values of two of the members of each to take.
func (f *jsonFlat) pairs(first, second string, take func(first, second []byte) error) error {
	if f.sub == nil {
		f.sub = &jsonFlat{}
	}
	return f.eachObject(func() error {
		object, err := f.raw()
		if err != nil {
			return err
		}
		if err := f.sub.parse(object); err != nil {
			return err
		}
		return take(f.sub.get(first), f.sub.get(second))
	})
}

// eachObject reads the list that begins here: take is called where each object in it begins, and reads it. What else is in it says nothing.
func (f *jsonFlat) eachObject(take func() error) error {
	for f.pos++; ; {
		read := f.skip
		switch f.space() {
		case ']':
			f.pos++
			return nil
		case ',':
			f.pos++
			continue
		case '{':
			read = take
		}
		if err := read(); err != nil {
			return err
		}
	}
}

// eachMember reads the object that begins here: take is called where the value of each member begins, and reads it.
func (f *jsonFlat) eachMember(take func(name string) error) error {
	if f.space() != '{' {
		return f.skip()
	}
	for f.pos++; ; {
		switch f.space() {
		case '}':
			f.pos++
			return nil
		case ',':
			f.pos++
		case '"':
			if err := f.string(); err != nil {
				return err
			}
			name := string(f.text)
			if f.space() != ':' {
				return f.broken("no colon behind the name of a member")
			}
			f.pos++
			if err := take(name); err != nil {
				return err
			}
		default:
			return f.broken("no name of a member")
		}
	}
}

// textInto reads the string or number that begins here; other values are passed over.
func (f *jsonFlat) textInto(to *string) error {
	switch f.space() {
	case '"':
		if err := f.string(); err != nil {
			return err
		}
		*to = string(f.text)
	case '{', '[':
		return f.skip()
	default:
		word, err := f.scalar()
		if err != nil {
			return err
		}
		*to = string(word)
	}
	return nil
}

// skip passes over one value.
func (f *jsonFlat) skip() error {
	var err error
	switch f.space() {
	case '"':
		err = f.string()
	case '{', '[':
		_, err = f.raw()
	default:
		_, err = f.scalar()
	}
	return err
}

// get gives the text of a field of the record; nil where it has none.
func (f *jsonFlat) get(name string) []byte {
	if n := f.names[name]; n != nil && n.record == f.record {
		return f.fields[n.at].text
	}
	return nil
}
