package variant

// Leaves calls f for each leaf of a document: a value that is neither an object nor JSON null, with its path. path is valid during the
// call only.
func Leaves(meta, value []byte, f func(path []string, leaf []byte)) {
	w := leafWalk{f: f, budget: len(value)}
	w.m, _ = openMetadata(meta)
	w.value(value, MaxDepth)
}

type leafWalk struct {
	m      metadata
	path   []string
	budget int
	f      func([]string, []byte)
}

func (w *leafWalk) value(v []byte, depth int) {
	c, nested, ok := enter(v, depth, &w.budget)
	if !ok {
		return
	}
	if !nested || !c.object {
		if KindOf(v) != Null {
			w.f(w.path, v)
		}
		return
	}
	for i := range c.n {
		name, _ := w.m.name(c.id(i))
		member, _ := c.value(i)
		w.path = append(w.path, string(name))
		w.value(member, depth-1)
		w.path = w.path[:len(w.path)-1]
	}
}
