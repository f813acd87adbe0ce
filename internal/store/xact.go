package store

import (
	"context"
)

// Rows that are read as a feed (routes, events) carry xact, the number of the
// transaction that stored them. On PostgreSQL transactions become visible in
// any order: a reader that remembers the last row id it saw would skip a row
// that was inserted before and committed later. Below the horizon, the oldest
// transaction that still runs, nothing can appear any more.
//
// Numbers start again when the data is restored on another server. A base is
// added to them, and raised then, so that xact never goes back.
//
// SQLite has one writer, so row ids grow in the order of commits: every xact
// and the base are 0 there.

// base returns what is added to transaction numbers.
func (s *Store) base(ctx context.Context) (int64, error) {
	if known := s.xactBase.Load(); known != nil {
		return *known, nil
	}
	var base int64
	if err := s.reader().NewRaw("SELECT xact_base FROM instance").Scan(ctx, &base); err != nil {
		return 0, err
	}
	s.xactBase.Store(&base)
	return base, nil
}

// advanceBase raises the base if the data has come to another server.
func (s *Store) advanceBase(ctx context.Context, t tx) error {
	base := int64(0)
	defer func() { s.xactBase.Store(&base) }()
	if !s.dialect().manyWriters {
		return nil
	}
	var known, here string
	err := t.NewRaw("SELECT xact_base, server, (SELECT system_identifier::text FROM pg_control_system()) FROM instance").
		Scan(ctx, &base, &known, &here)
	if err != nil || known == here {
		return err
	}
	if known != "" {
		err := t.NewRaw("SELECT greatest(?, (SELECT max(xact) + 1 FROM routes), (SELECT max(xact) + 1 FROM events))", base).
			Scan(ctx, &base)
		if err != nil {
			return err
		}
	}
	_, err = t.NewRaw("UPDATE instance SET server = ?, xact_base = ?", here, base).Exec(ctx)
	return err
}

// horizon returns the number below which every xact is finished.
func (s *Store) horizon(ctx context.Context, t tx) (int64, error) {
	if !s.dialect().manyWriters {
		return 1, nil
	}
	base, err := s.base(ctx)
	if err != nil {
		return 0, err
	}
	var finished int64
	err = t.NewRaw("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint").Scan(ctx, &finished)
	return base + finished, err
}
