package jsonparse

// walk dispatches the marked line d to v. It is one loop with an explicit stack because calls and returns cost more than the dispatch
// itself; every label states what position i points at.
func (p *Parser) walk(d []byte, v Visitor) (err error) {
	var i, end int
	var s []byte
	var inObject bool // the innermost open container is an object
	marks, maxKey := p.marks, p.opts.MaxKeyBytes
	p.stack = p.stack[:0]
	goto value

key: // where a key must begin, perhaps after white space
	if i >= len(d) || d[i] != '"' {
		if i = skipSpace(d, i); i >= len(d) || d[i] != '"' {
			return unexpected(d, i, "a key in double quotes")
		}
	}
	end = nextMark(marks, i+1)
	if end < len(d) && d[end] == '"' {
		s = d[i+1 : end]
	} else if s, end, err = p.slowString(d, i); err != nil {
		return err
	}
	if len(s) > maxKey {
		return p.errKey(i, s)
	}
	v.Key(s)
	if i = end + 1; i >= len(d) || d[i] != ':' {
		if i = skipSpace(d, i); i >= len(d) || d[i] != ':' {
			return unexpected(d, i, "':' after a key")
		}
	}
	i++

value: // where a value must begin, perhaps after white space
	if i >= len(d) {
		return unexpectedValue(d, i)
	}
	switch d[i] {
	case '"':
		end = nextMark(marks, i+1)
		if end < len(d) && d[end] == '"' {
			s = d[i+1 : end]
		} else if s, end, err = p.slowString(d, i); err != nil {
			return err
		}
		v.String(s)
		i = end + 1
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if i, err = number(d, i, v); err != nil {
			return err
		}
	case '{', '[':
		if len(p.stack) >= p.opts.MaxDepth {
			return p.errDeep(i)
		}
		p.stack = append(p.stack, inObject)
		inObject = begin(d[i] == '{', v)
		switch i = skipSpace(d, i+1); {
		case i < len(d) && (inObject && d[i] == '}' || !inObject && d[i] == ']'):
			goto closing
		case inObject:
			goto key
		}
		goto value
	case ' ', '\t', '\r', '\n':
		i = skipSpace(d, i)
		goto value
	default:
		if i, err = literal(d, i, v); err != nil {
			return err
		}
	}

after: // behind a value, perhaps before white space
	if len(p.stack) == 0 {
		return atEnd(d, i)
	}
	if i < len(d) {
		switch d[i] {
		case ',':
			i++
			if inObject {
				goto key
			}
			goto value
		case '}', ']':
			goto closing
		case ' ', '\t', '\r', '\n':
			i = skipSpace(d, i)
			goto after
		}
	}
	return afterMember(d, i, inObject)

closing: // at a closing bracket
	if inObject != (d[i] == '}') {
		return afterMember(d, i, inObject)
	}
	inObject = p.end(inObject, v)
	i++
	goto after
}

// begin reports the opening of an object or array and tells which.
func begin(object bool, v Visitor) bool {
	if object {
		v.BeginObject()
	} else {
		v.BeginArray()
	}
	return object
}

// end reports the end of the innermost container and tells whether the one around it is an object.
func (p *Parser) end(object bool, v Visitor) (inObject bool) {
	if object {
		v.EndObject()
	} else {
		v.EndArray()
	}
	inObject = p.stack[len(p.stack)-1]
	p.stack = p.stack[:len(p.stack)-1]
	return inObject
}

// atEnd checks that only white space follows the value.
func atEnd(d []byte, i int) error {
	if i = skipSpace(d, i); i < len(d) {
		return unexpected(d, i, "only white space after the value")
	}
	return nil
}

// literal reads true, false or null at i.
func literal(d []byte, i int, v Visitor) (int, error) {
	rest := d[i:]
	switch {
	case len(rest) >= 4 && string(rest[:4]) == "true":
		v.Bool(true)
		return i + 4, nil
	case len(rest) >= 5 && string(rest[:5]) == "false":
		v.Bool(false)
		return i + 5, nil
	case len(rest) >= 4 && string(rest[:4]) == "null":
		v.Null()
		return i + 4, nil
	}
	// The first byte that deviates from the word it seems to be is the culprit.
	for _, word := range [...]string{"true", "false", "null"} {
		if rest[0] != word[0] {
			continue
		}
		n := 1
		for n < len(rest) && n < len(word) && rest[n] == word[n] {
			n++
		}
		return i, unexpected(d, i+n, "the word "+word)
	}
	return i, unexpectedValue(d, i)
}
