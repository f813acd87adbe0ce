package store

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

// cursorRow is how far a network has been read.
type cursorRow struct {
	bun.BaseModel `bun:"table:cursors,alias:c"`

	Network        string `bun:",pk"`
	ScannedNumber  int64
	ScannedHash    string
	ScannedTime    instant
	HardenedNumber int64
	HardenedHash   string
	HardenedTime   instant
	BehindSince    instant
	UpdatedAt      instant
}

// Cursor returns how far the network was read; ok is false before the first
// SaveCursor.
func (s *Store) Cursor(ctx context.Context, n chain.Network) (c payment.Cursor, ok bool, err error) {
	var rows []cursorRow
	if err := s.reader().NewSelect().Model(&rows).Where("network = ?", string(n)).Scan(ctx); err != nil {
		return payment.Cursor{}, false, fmt.Errorf("cursor of %s: %w", n, err)
	}
	if len(rows) == 0 {
		return payment.Cursor{}, false, nil
	}
	r := rows[0]
	return payment.Cursor{
		Scanned:     blockOf(r.ScannedNumber, r.ScannedHash, r.ScannedTime),
		Rechecked:   blockOf(r.HardenedNumber, r.HardenedHash, r.HardenedTime),
		BehindSince: r.BehindSince.Time,
		UpdatedAt:   r.UpdatedAt.Time,
	}, true, nil
}

// SaveCursor stores how far the network was read.
func (s *Store) SaveCursor(ctx context.Context, n chain.Network, c payment.Cursor) error {
	scanned, err := storedBlock(c.Scanned)
	if err != nil {
		return fmt.Errorf("save cursor of %s: %w", n, err)
	}
	hardened, err := storedBlock(c.Rechecked)
	if err != nil {
		return fmt.Errorf("save cursor of %s: %w", n, err)
	}
	row := &cursorRow{
		Network:       string(n),
		ScannedNumber: scanned, ScannedHash: c.Scanned.Hash, ScannedTime: db.At(c.Scanned.Time),
		HardenedNumber: hardened, HardenedHash: c.Rechecked.Hash, HardenedTime: db.At(c.Rechecked.Time),
		BehindSince: db.At(c.BehindSince), UpdatedAt: db.At(c.UpdatedAt),
	}
	err = s.db.Write(ctx, func(ctx context.Context, t tx) error {
		_, err := t.NewInsert().Model(row).On("CONFLICT (network) DO UPDATE").
			Set("scanned_number = EXCLUDED.scanned_number, scanned_hash = EXCLUDED.scanned_hash, scanned_time = EXCLUDED.scanned_time").
			Set("hardened_number = EXCLUDED.hardened_number, hardened_hash = EXCLUDED.hardened_hash, hardened_time = EXCLUDED.hardened_time").
			Set("behind_since = EXCLUDED.behind_since, updated_at = EXCLUDED.updated_at").Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("save cursor of %s: %w", n, err)
	}
	return nil
}

// Lease takes or renews the lease of the name for the holder until the time
// given, and reports whether the holder has it. A lease that has expired at now
// is free.
func (s *Store) Lease(ctx context.Context, name, holder string, now, until time.Time) (bool, error) {
	var has bool
	err := s.db.Write(ctx, func(ctx context.Context, t tx) error {
		res, err := t.NewRaw("INSERT INTO leases (name, holder, until) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE "+
			"SET holder = excluded.holder, until = excluded.until WHERE leases.holder = excluded.holder OR leases.until <= ?",
			name, holder, db.At(until), db.At(now)).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		has = n == 1
		return err
	})
	if err != nil {
		return false, fmt.Errorf("lease %s: %w", name, err)
	}
	return has, nil
}
