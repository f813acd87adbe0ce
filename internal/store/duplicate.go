package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

// order is what a payment of a merchant is for: its reference, of a key.
type order struct {
	keyID     int64
	reference string
}

// lock is a number for the order. That of another order may be the same: then one waits for the other.
func (o order) lock() int64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", o.keyID, o.reference))
	return int64(binary.BigEndian.Uint64(sum[:8])) //nolint:gosec // all 64 bits, whatever their sign
}

// findDuplicates adds to each decision that pays an order whether another payment had paid it before. Two that pay one
// order at the same time wait for each other, by locks that are taken in order and after those of the payments.
func (s *Store) findDuplicates(ctx context.Context, c conn, ops []*changeOp) error {
	paying := slices.DeleteFunc(slices.Clone(ops), func(op *changeOp) bool {
		return op.err != nil || !op.change.PaysOrder(*op.before)
	})
	if len(paying) == 0 {
		return nil
	}
	slices.SortStableFunc(paying, func(a, b *changeOp) int { return cmp.Compare(orderOf(a).lock(), orderOf(b).lock()) })
	if s.db.Dialect().ManyWriters {
		var locks []*db.Stmt
		for _, op := range paying {
			locks = append(locks, db.Query(func(scan scan) error {
				var one int64
				return scan(&one)
			}, "SELECT 1 FROM (SELECT pg_advisory_xact_lock(?)) AS l", orderOf(op).lock()))
		}
		if err := c.Run(ctx, locks...); err != nil {
			return err
		}
	}
	first := make(map[order]payment.ID)
	found := make([]*db.Stmt, len(paying))
	for i, op := range paying {
		o := orderOf(op)
		found[i] = db.Query(func(scan scan) error {
			var id string
			err := scan(&id)
			first[o] = payment.ID(id)
			return err
		}, `SELECT coalesce((SELECT p.public_id FROM payments AS p WHERE p.key_id = ? AND p.reference <> ''
			AND lower(p.reference COLLATE `+s.db.Dialect().Bytewise+`) = ? AND p.reference = ? AND p.status = 'COMPLETED'
			AND p.kind = 'PAYMENT' AND p.link_id = 0 ORDER BY p.created_at, p.id LIMIT 1), '')
			WHERE EXISTS (SELECT 1 FROM custodians AS c WHERE c.key_id = ? AND NOT c.repeats)`,
			o.keyID, db.LowerASCII(o.reference), o.reference, o.keyID)
	}
	if err := c.Run(ctx, found...); err != nil {
		return err
	}
	for _, op := range paying {
		o := orderOf(op)
		switch id, asked := first[o]; {
		case !asked: // its references repeat
		case id == "":
			first[o] = op.id // of what is decided together, too
		default:
			op.change = op.change.Duplicating(id, op.change.Payment.EndedAt)
		}
	}
	return nil
}

func orderOf(op *changeOp) order { return order{op.before.KeyID, op.before.Reference} }
