package table

import (
	"context"
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
func (l Leases) Lease(ctx context.Context, name, holder string, now, until time.Time) (has bool, err error) {
	err = l.engine.Write(ctx, func(ctx context.Context, t db.Tx) (err error) {
		has, err = Take(ctx, t, name, holder, now, until)
		return err
	})
	return has && err == nil, db.Wrap(err, "lease %s", name)
}

// Take is Lease in a transaction, until whose end the lease stays as it is.
func Take(ctx context.Context, t db.Tx, name, holder string, now, until time.Time) (bool, error) {
	return db.Changed(t.NewRaw(`INSERT INTO leases (name, holder, until) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE
		SET holder = excluded.holder, until = excluded.until WHERE leases.holder = excluded.holder OR leases.until <= ?`,
		name, holder, until, now).Exec(ctx))
}

// Holds reports whether the holder has the lease of the name, and keeps it until the transaction ends. An empty holder
// has every lease.
func Holds(ctx context.Context, t db.Tx, name, holder string) (bool, error) {
	if holder == "" {
		return true, nil
	}
	return db.Changed(t.NewRaw("UPDATE leases SET holder = holder WHERE name = ? AND holder = ?", name, holder).Exec(ctx))
}
