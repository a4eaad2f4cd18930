package catalog

// Rebuild returns Edits that, applied to NewSnapshot(), give s again: what a checkpoint of the log holds. One Edit carries one table, so
// that no single record grows with the database.
func (s *Snapshot) Rebuild() []*Edit {
	var out []*Edit
	head := &Edit{}
	for _, d := range s.Databases() {
		head.Add(&PutDatabase{Name: d.Name, Comment: d.Comment})
	}
	if _, ok := s.databases.Get(DefaultDatabase); !ok {
		head.Add(&DropDatabase{Name: DefaultDatabase})
	}
	for _, v := range s.Views() {
		head.Add(&PutView{v})
	}
	for _, st := range s.Stages() {
		head.Add(&PutStage{st})
	}
	for _, f := range s.Formats() {
		head.Add(&PutFormat{f})
	}
	for _, u := range s.Users() {
		head.Add(&PutUser{u})
	}
	for _, kv := range s.Settings() {
		head.Add(&SetGlobal{kv[0], kv[1]})
	}
	if len(s.Changes) > 0 {
		head.Add(&AddChanges{s.Changes})
	}
	if len(s.Errors) > 0 {
		head.Add(&AddErrors{s.Errors})
	}
	head.Add(&Reserve{s.NextID})
	out = append(out, head)
	for _, d := range s.Databases() {
		for _, t := range s.Tables(d) {
			out = append(out, t.rebuild())
		}
	}
	return out
}

func (t *Table) rebuild() *Edit {
	bare := *t
	bare.Segments, bare.Batches, bare.deletes, bare.loads = nil, nil, nil, nil
	e := &Edit{}
	e.Add(&CreateTable{&bare})
	if len(t.Segments) > 0 {
		e.Add(&AddSegments{t.ID, t.Segments})
	}
	for _, b := range t.Batches {
		e.Add(&AddBatch{t.ID, b})
	}
	for _, m := range t.Segments {
		if d := t.Deleted(m.ID); d != nil {
			e.Add(&DeleteRows{t.ID, m.ID, d})
		}
	}
	for _, b := range t.Batches {
		if d := t.Deleted(b.ID); d != nil {
			e.Add(&DeleteRows{t.ID, b.ID, d})
		}
	}
	var loads []LoadEntry
	t.Loads(func(l LoadEntry) bool { loads = append(loads, l); return true })
	if len(loads) > 0 {
		e.Add(&AddLoads{t.ID, loads})
	}
	return e
}
