package vexec

import (
	"slices"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/vec"
)

// aggDisk has the rows that a worker of an aggregate has written since its memory was used up, by partition as rowParts keeps them. The
// groups that the worker has by then stay as they are: states are never written.
type aggDisk struct {
	store *rowStore
	parts [rowPartCount]spillRows
	enc   spillEncoder
	part  [rowPartCount][]int32
}

// aggShare is the part of what is left for operators that the groups of a worker may take. All workers together leave three quarters: a
// table that grows doubles, and the partitions need memory later.
func (s *aggState) aggShare() int64 { return s.r.memory.room() / 4 / int64(max(s.r.env.Workers, 1)) }

// toDisk makes the worker write its rows from now on, also those that it has stored.
func (l *aggLocal) toDisk() error {
	s := l.s
	s.mu.Lock()
	var err error
	if s.file == nil {
		s.file, err = s.r.newSpillFile(s.a)
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	l.disk = &aggDisk{store: newRowStore(s.r)}
	for p := range l.disk.parts {
		l.disk.parts[p].file = s.file
	}
	if l.rows != nil {
		var kb keyBatch
		for p := range l.rows.chunks {
			if err := s.r.check(); err != nil {
				return err
			}
			for k := range l.rows.chunks[p] {
				inputs := l.rows.read(p, k, &kb)
				if err := l.disk.parts[p].add(&l.disk.enc, vec.NewBatch(kb.n, s.rowColumns(&kb, inputs)...)); err != nil {
					return err
				}
			}
			l.rows.free(p)
		}
	}
	l.rows, l.codes = newRowParts(s.layout, s.a.inputs.types()), codeCache{}
	return nil
}

// addToDisk stores the rows of the present batch to be written.
func (l *aggLocal) addToDisk(inputs []*vec.Vector) error {
	l.keys.settle()
	if err := l.disk.store.addOrSpill(l.w.seq, l.keys.n, l.s.rowColumns(&l.keys, inputs), l.writeRows); err != nil {
		return err
	}
	if l.disk.store.charge.used() > min(l.s.share/2, 4*maxSpillChunk) {
		return l.writeRows()
	}
	return nil
}

// writeRows writes what is stored.
func (l *aggLocal) writeRows() error {
	d := l.disk
	batches, _ := gatherStores([]*rowStore{d.store})
	defer d.store.clear()
	for len(batches) > 0 {
		n, k := 0, 0
		for k < len(batches) && (k == 0 || n+batches[k].n <= 4*cutRows) {
			n += batches[k].n
			k++
		}
		if err := l.s.r.check(); err != nil {
			return err
		}
		cols := make([]*vec.Vector, len(batches[0].cols))
		for c, v := range batches[0].cols {
			cols[c] = concatColumn(v.Type, batches[:k], c)
		}
		batches = batches[k:]
		if err := d.cut(vec.NewBatch(n, cols...)); err != nil {
			return err
		}
	}
	return nil
}

func (d *aggDisk) cut(b *vec.Batch) error {
	for p := range d.part {
		d.part[p] = d.part[p][:0]
	}
	for i, h := range vec.Slice[int64](b.Cols[0]) {
		p := uint64(h) >> (64 - rowPartBits)
		d.part[p] = append(d.part[p], int32(i))
	}
	for p, rows := range d.part {
		if len(rows) == 0 {
			continue
		}
		out := vec.NewBatch(len(rows))
		for _, c := range b.Cols {
			out.Cols = append(out.Cols, vec.GatherRows(c, rows))
		}
		if err := d.parts[p].add(&d.enc, out); err != nil {
			return err
		}
	}
	return nil
}

// rowColumns returns keys and inputs as columns: the hash, NULL where the key is; the words or the text of the key; the key columns that
// cannot be made from those; the inputs.
func (s *aggState) rowColumns(kb *keyBatch, inputs []*vec.Vector) []*vec.Vector {
	hash := make([]int64, kb.n)
	for i, h := range kb.hash[:kb.n] {
		hash[i] = int64(h)
	}
	out := []*vec.Vector{vec.NewFlat(types.Of(types.BigInt), hash, kb.valid)}
	if k := s.layout.words; s.layout.form == keyWords {
		for w := range k {
			col := make([]int64, kb.n)
			for i := range col {
				col[i] = int64(kb.words[i*k+w])
			}
			out = append(out, vec.NewFlat(types.Of(types.BigInt), col, nil))
		}
	} else {
		out = append(out, vec.NewText(types.Of(types.Binary), slices.Clone(kb.views[:kb.n]), kb.bufs, nil))
	}
	for _, c := range s.layout.looseColumns() {
		out = append(out, kb.cols[c])
	}
	return append(out, inputs...)
}

// looseColumns are the columns of a keyRow that cannot be decoded from it.
func (l *keyLayout) looseColumns() []int {
	var out []int
	for c, t := range l.types {
		if l.form == keyRow && fixedBits(t) == 0 && t.Phys() != types.PhysString {
			out = append(out, c)
		}
	}
	return out
}

// fromColumns is the reverse of rowColumns.
func (s *aggState) fromColumns(b *vec.Batch, kb *keyBatch) (inputs []*vec.Vector) {
	n := b.Len
	*kb = keyBatch{n: n, hash: make([]uint64, n), valid: b.Cols[0].Valid}
	for i, h := range vec.Slice[int64](b.Cols[0]) {
		kb.hash[i] = uint64(h)
	}
	cols := b.Cols[1:]
	if k := s.layout.words; s.layout.form == keyWords {
		kb.words = make([]uint64, n*k)
		for w := range k {
			for i, x := range vec.Slice[int64](cols[w]) {
				kb.words[i*k+w] = uint64(x)
			}
		}
		cols = cols[k:]
	} else {
		kb.views, kb.bufs = vec.Slice[vec.View](cols[0]), cols[0].Bufs
		cols = cols[1:]
	}
	if loose := s.layout.looseColumns(); len(loose) > 0 {
		kb.cols = make([]*vec.Vector, len(s.layout.types))
		for i, c := range loose {
			kb.cols[c] = cols[i]
		}
		cols = cols[len(loose):]
	}
	return cols
}

// aggRest is a part of a partition: the groups whose hash leaves the given rest.
type aggRest struct{ rest, of uint64 }

// maxRests is into how many pieces a partition is cut at most. Groups that do not fit then have states that are too large.
const maxRests = 256

func (a aggRest) has(h uint64) bool { return h>>24%a.of == a.rest }

// piece aggregates the groups of partition n that belong to a. The sources stay as they are, so that it can be tried again with less. The
// error is of kind Resource if take does not agree to the size.
func (s *aggState) piece(x *partAdder, n int, a aggRest, take func(int64) error) (*aggPart, error) {
	p := s.newPart(s.locals[0].keys.interners)
	for _, l := range s.locals {
		from, keys, rows := l.part, l.partKeys, []int32(nil)
		if from != nil {
			rows = l.byPart[n]
		} else if l.flushed != nil {
			if from = l.flushed[n]; from != nil {
				keys, rows = s.keysOf(l, from), identity(from.groups())
			}
		}
		if from != nil {
			var mine []int32
			for _, g := range rows {
				if a.has(from.table.hashes[g]) {
					mine = append(mine, g)
				}
			}
			if err := x.take(p, from, mine, keys); err != nil {
				return nil, err
			}
		}
		if err := take(p.SizeBytes()); err != nil {
			return nil, err
		}
		if l.disk == nil {
			continue
		}
		for i := range l.disk.parts[n].blocks {
			if err := s.diskBlock(x, p, l, &l.disk.parts[n].blocks[i], a); err != nil {
				return nil, err
			}
			if err := take(p.SizeBytes()); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// diskBlock adds the rows of a block that belong to a.
func (s *aggState) diskBlock(x *partAdder, p *aggPart, l *aggLocal, block *spillBlock, a aggRest) error {
	if err := s.r.check(); err != nil {
		return err
	}
	b, err := s.file.read(block)
	if err != nil {
		return err
	}
	if a.of > 1 {
		var rows []int32
		for i, h := range vec.Slice[int64](b.Cols[0]) {
			if a.has(uint64(h)) {
				rows = append(rows, int32(i))
			}
		}
		if len(rows) == 0 {
			return nil
		}
		for c, v := range b.Cols {
			b.Cols[c] = vec.GatherRows(v, rows)
		}
		b.Len = len(rows)
	}
	var kb keyBatch
	inputs := s.fromColumns(b, &kb)
	if s.layout.texts != nil && l != s.locals[0] {
		kb.words = s.layout.translate(kb.words, l.mapping)
	}
	x.ids = sized(x.ids, kb.n)
	if err := p.table.assign(&kb, nil, x.ids); err != nil {
		return err
	}
	return x.update(s.a.inputs, p, x.ids, inputs, kb.n)
}

// finishDisk writes all stored rows if some worker has rows on disk.
func (s *aggState) finishDisk() error {
	if s.file == nil {
		return nil
	}
	return s.r.parallel(len(s.locals), func(i int) error {
		l := s.locals[i]
		if l.disk == nil && l.rows != nil {
			return l.toDisk()
		}
		if l.disk == nil {
			return nil
		}
		return l.writeRows()
	})
}

// nextPiece makes the next piece of a partition the part to be read; it returns false behind the last.
func (g *groupsReader) nextPiece() (bool, error) {
	for len(g.rests) > 0 {
		a := g.rests[len(g.rests)-1]
		g.rests = g.rests[:len(g.rests)-1]
		g.part = nil
		g.charge.clear()
		p, err := g.s.piece(&g.again, g.n, a, func(size int64) error {
			more := size - g.charge.used()
			if more <= 0 {
				return nil
			}
			err := g.charge.grow(more)
			if err != nil && a.of >= maxRests {
				err = g.charge.force(more)
			}
			return err
		})
		if sqlerr.KindOf(err) == sqlerr.Resource && a.of < maxRests {
			g.rests = append(g.rests, aggRest{a.rest + a.of, 2 * a.of}, aggRest{a.rest, 2 * a.of})
			continue
		}
		if err != nil {
			return false, err
		}
		g.part, g.from = p, 0
		return true, nil
	}
	return false, nil
}

// release gives the groups up.
func (s *aggState) release() {
	for _, l := range s.locals {
		l.charged.clear()
		if l.disk != nil {
			l.disk.store.clear()
		}
	}
	if s.file != nil {
		s.r.closeFile(s.file)
	}
	s.locals, s.whole, s.file = nil, nil, nil
}
