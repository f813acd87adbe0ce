package table

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/store/db"
)

// Leases implements Lease for the stores whose loops run on one instance at a time.
type Leases struct{ engine db.Engine }

// NewLeases returns the leases of an open database.
func NewLeases(e db.Engine) Leases { return Leases{e} }

// Lease takes or renews the lease of the name for the holder until the time
// given, and reports whether the holder has it. A lease that has expired at now
// is free.
func (l Leases) Lease(ctx context.Context, name, holder string, now, until time.Time) (bool, error) {
	var has bool
	err := l.engine.Write(ctx, func(ctx context.Context, t db.Tx) error {
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

// Holds reports whether the holder has the lease of the name, and keeps it until the transaction ends. An empty holder
// has every lease.
func Holds(ctx context.Context, t db.Tx, name, holder string) (bool, error) {
	if holder == "" {
		return true, nil
	}
	res, err := t.NewRaw("UPDATE leases SET holder = holder WHERE name = ? AND holder = ?", name, holder).Exec(ctx)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}
