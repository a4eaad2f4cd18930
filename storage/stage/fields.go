package stage

// field is a key of the records as it is spelled, with what becomes of its values.
type field struct {
	name string
	kind fieldKind
	slot *slot // fieldTarget
	mark int64 // fieldLate: serial number of the last record with a value
}

// fieldKind is what becomes of the values of a field.
type fieldKind uint8

const (
	fieldTarget    fieldKind = iota
	fieldIgnored             // no target, or one that takes its default
	fieldLate                // no target, to be noted at its first value
	fieldAmbiguous           // differs in case only from several targets
)

// maxKnownFields bounds the spellings that are remembered; data with keys that never repeat would fill memory otherwise.
const maxKnownFields = 20_000

// fieldFinder finds what a key stands for. Records of a file mostly have the same keys in the same order, so the keys of the record before
// are tried first: a comparison of equal bytes is cheaper than a hash.
type fieldFinder struct {
	targets *nameIndex
	slots   []*slot // by position of the target, nil where it takes its default
	unknown fieldKind
	known   map[string]*field
	order   []*field // of the record before, as far as the present one has gone the same way
	at      int      // the next key's position in order
}

func newFieldFinder(spec *ReadSpec, slots []*slot) *fieldFinder {
	names := make([]string, len(spec.Targets))
	for i := range spec.Targets {
		names[i] = spec.Targets[i].Name
	}
	f := &fieldFinder{targets: newNameIndex(names, spec.CaseSensitive), slots: slots, unknown: fieldIgnored, known: map[string]*field{}}
	if spec.Unknown == UnknownCollect {
		f.unknown = fieldLate
	}
	return f
}

// begin starts a record.
func (f *fieldFinder) begin() { f.at = 0 }

// find returns the field of the next key. The result is valid for the life of the finder.
func (f *fieldFinder) find(key []byte) *field {
	at := f.at
	f.at++
	if at < len(f.order) {
		if p := f.order[at]; p.name == string(key) {
			return p
		}
	}
	p, ok := f.known[string(key)]
	if !ok {
		p = f.meet(string(key))
	}
	if at < len(f.order) {
		f.order[at] = p
	} else if at < maxKnownFields {
		f.order = append(f.order, p)
	}
	return p
}

// meet looks a new spelling up.
func (f *fieldFinder) meet(name string) *field {
	p := &field{name: name, kind: f.unknown}
	switch i := f.targets.find(name); {
	case i == nameAmbiguous:
		p.kind = fieldAmbiguous
	case i >= 0 && f.slots[i] == nil:
		p.kind = fieldIgnored
	case i >= 0:
		p.kind, p.slot = fieldTarget, f.slots[i]
	}
	if len(f.known) >= maxKnownFields {
		clear(f.known)
	}
	f.known[name] = p
	return p
}
