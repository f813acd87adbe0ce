package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// What is sealed to recognise a key, and where.
const (
	checkPlace = "instance/key_check"
	checkText  = "florin"
)

// keyCheck returns the text by which a database recognises the key that the sealer seals with.
func keyCheck(s *secret.Sealer) string { return s.Seal(checkPlace, secret.New(checkText)) }

var (
	errAnotherKey = errors.New("it was made with another FLORIN_SECRET_KEY")
	errNoOldKey   = fault.New(fault.Invalid, "set FLORIN_SECRET_KEY to the new key (`florin keygen` makes one) and "+
		"FLORIN_OLD_SECRET_KEY to the key that the database has now")
)

// settleKey makes the sealer seal with the key of the database, or fails with secret.ErrSealed if it has it not.
func settleKey(ctx context.Context, t db.Tx, sealer *secret.Sealer) error {
	id, err := keyID(ctx, t, t.ForUpdate(), sealer)
	if err == nil {
		sealer.Use(id)
	}
	return err
}

// verifyKey fails with secret.ErrSealed if the sealer does not have the key of the database.
func verifyKey(ctx context.Context, r bun.IDB, sealer *secret.Sealer) error {
	_, err := keyID(ctx, r, "", sealer)
	return err
}

// keyID returns the id of the key of the database, or fails with secret.ErrSealed if the sealer has it not.
func keyID(ctx context.Context, r bun.IDB, lock string, sealer *secret.Sealer) (id string, err error) {
	var check string
	if err := r.NewRaw("SELECT key_check FROM instance"+lock).Scan(ctx, &check); err != nil {
		return "", db.Wrap(err, "secret key of the database")
	}
	if _, err := sealer.Open(checkPlace, check); err != nil {
		return "", fmt.Errorf("%w: %w", errAnotherKey, err)
	}
	return secret.KeyIDOf(check), nil
}

// Rotation is what a rotation did.
type Rotation struct {
	KeyID    string // of the new key
	Changed  bool   // the database had another key before
	Resealed int    // values
	// Unreadable names the values that neither key opens: they were damaged before, and stay as they are.
	Unreadable []string
}

// ChangeSecretKey makes the key with that id, which the sealer has, the key of the database, and reseals with it every
// value that another key sealed. It may be interrupted and repeated. What a running program seals with the old key
// meanwhile is left to the next call.
//
// The database names the key that programs seal with (instance.key_check). A program takes it at its start, and opens
// what either of its two keys sealed:
//
//	restart every server with both keys      they seal with the old key still
//	florin secret rotate                     the database names the new key; every value is resealed
//	restart every server                     they seal with the new key
//	florin secret rotate                     what was sealed with the old key meanwhile is resealed
//
// So at every moment each value can be opened by each program that runs, and no key is ever stored.
func (s *Store) ChangeSecretKey(ctx context.Context, id string, now time.Time) (Rotation, error) {
	report := Rotation{KeyID: id}
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		before, err := keyID(ctx, t, t.ForUpdate(), s.sealer)
		if err != nil {
			return fmt.Errorf("%w (%w)", errNoOldKey, err)
		}
		s.sealer.Use(id)
		if report.Changed = before != id; !report.Changed {
			return nil
		}
		if _, err := t.NewRaw("UPDATE instance SET key_check = ?", keyCheck(s.sealer)).Exec(ctx); err != nil {
			return err
		}
		return table.AuditOperators(ctx, t, audit.Entry{
			At: now, Actor: "florin secret rotate", Action: audit.ActionSecretKey, Subject: id,
			Detail: mail.T("the key before was {{.Key}}", "Key", before).Kept(),
		})
	})
	if err != nil {
		return report, db.Wrap(err, "change the secret key of the database")
	}
	for _, c := range table.Sealed {
		if err := reseal(ctx, s.db, s.sealer, c, &report); err != nil {
			return report, db.Wrap(err, "reseal %s.%s", c.Table, c.Column)
		}
	}
	return report, nil
}
