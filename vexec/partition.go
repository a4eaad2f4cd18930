package vexec

// partitioner sorts rows by partition.
type partitioner struct {
	rows  []int32
	parts [][]int32
}

// split returns the rows of each of the 1<<partBits partitions; the result is valid until the next call. The upper bits of a hash
// tell the partition, the lower ones the place in a table.
func (p *partitioner) split(hash []uint64, partBits uint) [][]int32 {
	if partBits == 0 {
		p.rows = sized(p.rows, len(hash))
		for i := range p.rows {
			p.rows[i] = int32(i)
		}
		p.parts = append(p.parts[:0], p.rows)
		return p.parts
	}
	n := 1 << partBits
	var start [1<<maxPartBits + 1]int32
	shift := 64 - partBits
	for _, h := range hash {
		start[h>>shift+1]++
	}
	for i := range n {
		start[i+1] += start[i]
	}
	p.rows = sized(p.rows, len(hash))
	at := start
	for i, h := range hash {
		k := h >> shift
		p.rows[at[k]] = int32(i)
		at[k]++
	}
	p.parts = p.parts[:0]
	for i := range n {
		p.parts = append(p.parts, p.rows[start[i]:start[i+1]])
	}
	return p.parts
}

// splitValid is split for the rows that have a key.
func (p *partitioner) splitValid(kb *keyBatch, partBits uint) [][]int32 {
	parts := p.split(kb.hash, partBits)
	if kb.valid == nil {
		return parts
	}
	for i, rows := range parts {
		kept := rows[:0]
		for _, r := range rows {
			if kb.valid.Get(int(r)) {
				kept = append(kept, r)
			}
		}
		parts[i] = kept
	}
	return parts
}
