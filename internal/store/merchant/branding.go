package merchant

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
)

// storeLogo stores the picture in place of the one before, or takes that away.
func storeLogo(ctx context.Context, t db.Tx, keyID int64, l merchant.Logo, now time.Time) error {
	const custodian = "(SELECT id FROM custodians WHERE key_id = ?)"
	_, err := t.NewRaw("DELETE FROM logos WHERE custodian_id = "+custodian, keyID).Exec(ctx)
	if err != nil || len(l.Picture) == 0 {
		return err
	}
	_, err = t.NewRaw("INSERT INTO logos (custodian_id, hash, kind, picture, created_at) VALUES ("+custodian+", ?, ?, ?, ?)",
		keyID, l.Hash, l.Kind, l.Picture, now).Exec(ctx)
	return err
}

// errNoLogo: it was replaced, or never was.
var errNoLogo = fault.New(fault.NotFound, "there is no such logo")

// Logo returns the uploaded logo of that hash, whosever it is, or fault.NotFound.
func (s *Store) Logo(ctx context.Context, hash string) (merchant.Logo, error) {
	if !db.Storable(hash) {
		return merchant.Logo{}, errNoLogo
	}
	l, err := db.First[merchant.Logo](ctx, s.db.Reader(), errNoLogo, "SELECT hash, kind, picture FROM logos WHERE hash = ? LIMIT 1", hash)
	return l, db.Wrap(err, "logo")
}
