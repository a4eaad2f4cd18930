package store

import (
	"context"
	"math"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/storage/segment"
)

// Flush turns the small writes of all tables into segments.
func (s *Store) Flush(ctx context.Context) error {
	snap := s.Snapshot()
	for _, d := range snap.Databases() {
		for _, t := range snap.Tables(d) {
			if len(t.Batches) == 0 {
				continue
			}
			if err := s.FlushTable(ctx, t.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// FlushTable turns the small writes of a table into segments. It returns nil if there are none, or if the table was dropped.
// Readers and writers go on meanwhile; a failure changes nothing.
func (s *Store) FlushTable(ctx context.Context, id catalog.TableID) error {
	if err := s.beginMaintenance(ctx); err != nil {
		return err
	}
	defer s.endMaintenance()
	return s.flush(ctx, id)
}

func (s *Store) flush(ctx context.Context, id catalog.TableID) error {
	p := s.Pin()
	defer p.Release()
	t := p.Snapshot().TableByID(id)
	if t == nil || len(t.Batches) == 0 {
		return nil
	}
	var sources []*source
	for _, b := range t.Batches {
		sources = append(sources, batchSource(t, b))
	}
	for _, b := range bundles(t, sources, limits{math.MaxInt, math.MaxInt64}) {
		if err := s.rewrite(ctx, b); err != nil {
			return ignoreConflict(err)
		}
	}
	s.stats.flushes.Add(1)
	return nil
}

// ignoreConflict drops the error of a rewrite whose table lost its rows by DROP or TRUNCATE: nothing is left to do.
func ignoreConflict(err error) error {
	if sqlerr.KindOf(err) == sqlerr.Conflict {
		return nil
	}
	return err
}

// Compaction constants.
const (
	// smallRows is the number of live rows below which a segment is worth merging with others.
	smallRows = segment.MaxRows / 2
	// tierFactor is the ratio of sizes within which segments count as alike, and the number of alike ones that are merged in the
	// background. A row is rewritten at most log(smallRows)/log(tierFactor) = 7 times.
	tierFactor = 8
	// deadShare is the part of deleted rows (one in so many) from which on a segment is rewritten in the background.
	deadShare = 4
	// maxSortBytes bounds the size of segments that are sorted together, because they are in memory then.
	maxSortBytes = 128 << 20
)

// Compact flushes a table, drops its deleted rows and merges its small segments. It returns nil if the table was dropped.
// Readers and writers go on meanwhile; a failure leaves the table with some of the work done and all of its rows.
func (s *Store) Compact(ctx context.Context, id catalog.TableID) error {
	if err := s.beginMaintenance(ctx); err != nil {
		return err
	}
	defer s.endMaintenance()
	if err := s.flush(ctx, id); err != nil {
		return err
	}
	return s.compact(ctx, id, func(all []*source) []*source {
		var out []*source
		for _, src := range all {
			if src.live() < smallRows || src.deleted.Count() > 0 {
				out = append(out, src)
			}
		}
		return out
	})
}

// compactDue does the compaction of a table that is worth its cost.
func (s *Store) compactDue(ctx context.Context, id catalog.TableID) error {
	if err := s.beginMaintenance(ctx); err != nil {
		return err
	}
	defer s.endMaintenance()
	return s.compact(ctx, id, chooseDue)
}

// compact rewrites the segments of a table that choose picks.
func (s *Store) compact(ctx context.Context, id catalog.TableID, choose func([]*source) []*source) error {
	p := s.Pin()
	defer p.Release()
	t := p.Snapshot().TableByID(id)
	if t == nil {
		return nil
	}
	var all []*source
	for _, m := range t.Segments {
		all = append(all, s.segmentSource(t, m))
	}
	lim := limits{segment.MaxRows, math.MaxInt64}
	if len(t.SortKey) > 0 {
		lim.bytes = maxSortBytes
	}
	for _, b := range bundles(t, choose(all), lim) {
		if len(b.sources) == 1 && b.sources[0].deleted.Count() == 0 {
			continue
		}
		if err := s.rewrite(ctx, b); err != nil {
			return ignoreConflict(err)
		}
		s.stats.compactions.Add(1)
	}
	return nil
}

// chooseDue picks the segments of which a good part is deleted, and those of the smallest tier that has enough segments alike.
func chooseDue(all []*source) []*source {
	var tiers [32][]*source
	var out []*source
	for _, src := range all {
		if int(src.deleted.Count())*deadShare >= src.rows && src.rows > 0 {
			out = append(out, src)
			continue
		}
		if n := src.live(); n < smallRows {
			tier := 0
			for ; n >= tierFactor; n /= tierFactor {
				tier++
			}
			tiers[tier] = append(tiers[tier], src)
		}
	}
	for _, alike := range tiers {
		if len(alike) >= tierFactor {
			return append(out, alike...)
		}
	}
	return out
}
