package triage

import "encoding/json"

// Permutation gives the places 0 to n−1 in the order that a number stands for: 0 is the usual order, any other number a
// fixed one that differs from it wherever there are two places or more.
func Permutation(order uint64, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	if order == 0 || n < 2 {
		return out
	}
	usual := true
	for i := n - 1; i > 0; i-- {
		order = mixed(order)
		j := int(order % uint64(i+1))
		out[i], out[j] = out[j], out[i]
	}
	for i, v := range out {
		usual = usual && i == v
	}
	if usual {
		out = append(out[1:], 0)
	}
	return out
}

// mixed is the next number of the generator SplitMix64 (Steele, Lea and Flood 2014).
func mixed(v uint64) uint64 {
	v += 0x9e3779b97f4a7c15
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}

// ShuffleMembers gives a JSON text with the members of every object in the order that a number stands for (see
// [Permutation]), without the white space between values. Lists keep their order, and so does everything where order is 0.
// A text that is no JSON comes back as it is. The text that is given is not changed.
func ShuffleMembers(data []byte, order uint64) []byte {
	if order == 0 || !json.Valid(data) {
		return data
	}
	return appendShuffled(make([]byte, 0, len(data)), data, order)
}

// appendShuffled appends the one value that a valid text holds.
func appendShuffled(dst, data []byte, order uint64) []byte {
	s := space(data)
	if s[0] != '{' && s[0] != '[' {
		return append(dst, s[:valueLen(s)]...)
	}
	opened, keyed := s[0], s[0] == '{'
	var keys, values [][]byte
	for s = space(s[1:]); s[0] != '}' && s[0] != ']'; s = space(s) {
		if s[0] == ',' {
			s = space(s[1:])
		}
		if keyed {
			n := valueLen(s)
			keys = append(keys, s[:n])
			s = space(space(s[n:])[1:]) // the colon
		}
		n := valueLen(s)
		values = append(values, s[:n])
		s = s[n:]
	}
	places := Permutation(0, len(values))
	if keyed {
		places = Permutation(order, len(values))
	}
	dst = append(dst, opened)
	for i, at := range places {
		if i > 0 {
			dst = append(dst, ',')
		}
		if keyed {
			dst = append(append(dst, keys[at]...), ':')
		}
		dst = appendShuffled(dst, values[at], order)
	}
	return append(dst, opened+2) // '{' and '[' stand two before their ends
}
