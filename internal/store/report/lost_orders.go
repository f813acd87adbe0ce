package report

import (
	"context"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

// LostOrders names the orders of a restored database for which the time that is lost matters. before is the URL of the
// database as it was, which is only read; empty: there is none.
func (r *Reader) LostOrders(ctx context.Context, before string) (l backup.LostOrders, err error) {
	if before == "" {
		err = eachOrder(ctx, r.db.Reader(), "p.ended_at IS NULL AND p.started_at IS NULL", func(list []orderRow) error {
			for _, o := range list {
				l.Add(&l.Unstarted, o.order())
			}
			return nil
		})
		return l, db.Wrap(err, "read which orders were not started")
	}
	l.Compared = true
	err = readOther(ctx, before, func(ctx context.Context, other bun.IDB) error {
		return eachOrder(ctx, other, "", func(list []orderRow) error { return r.compare(ctx, &l, list) })
	})
	return l, db.Wrap(err, "compare with the database of before")
}

// compare adds those of some orders of the database of before that are unknown here, or were not started here.
func (r *Reader) compare(ctx context.Context, l *backup.LostOrders, list []orderRow) error {
	ids := make([]string, len(list))
	for i, o := range list {
		ids[i] = o.Txnid
	}
	here, err := db.All[struct {
		PublicID string
		Started  bool
	}](ctx, r.db.Reader(), "SELECT public_id, started_at IS NOT NULL AS started FROM payments WHERE public_id IN (?)", bun.List(ids))
	if err != nil {
		return err
	}
	started := make(map[string]bool, len(here))
	for _, h := range here {
		started[h.PublicID] = h.Started
	}
	for _, o := range list {
		switch was, known := started[o.Txnid]; {
		case !known:
			l.Add(&l.Unknown, o.order())
		case !was && o.Started():
			l.Add(&l.Unstarted, o.order())
		}
	}
	return nil
}

// readOther reads another database of the program. It neither migrates it nor serves it.
func readOther(ctx context.Context, url string, fn func(context.Context, bun.IDB) error) error {
	if path, err := db.SQLitePath(url); err == nil {
		return db.ReadFile(ctx, path, fn)
	} else if !errors.Is(err, db.ErrNotSQLite) {
		return err
	}
	other, err := db.Open(ctx, url, 1)
	if err != nil {
		return err
	}
	return errors.Join(fn(ctx, other.Reader()), other.Close())
}

type orderRow struct {
	backup.Order

	ID     int64
	Micros money.Micros
}

func (r orderRow) order() backup.Order {
	r.Amount = r.Micros.String()
	return r.Order
}

// eachOrder calls fn with the payments for which the condition holds, in parts, the oldest first.
func eachOrder(ctx context.Context, from bun.IDB, where string, fn func([]orderRow) error) error {
	if where == "" {
		where = "1 = 1"
	}
	for last := int64(0); ; {
		list, err := db.All[orderRow](ctx, from, `SELECT p.id, p.public_id AS txnid, u.email, p.reference, p.amount AS micros, p.status
			FROM payments AS p JOIN api_keys AS k ON k.id = p.key_id JOIN users AS u ON u.id = k.user_id WHERE p.id > ? AND (`+where+`
			) ORDER BY p.id LIMIT ?`, last, payment.MaxPage)
		if err != nil || len(list) == 0 {
			return err
		}
		last = list[len(list)-1].ID
		if err := addSettlements(ctx, from, list); err != nil {
			return fmt.Errorf("addresses of payments: %w", err)
		}
		if err := fn(list); err != nil {
			return err
		}
	}
}

// addSettlements reads which settlement wallets the payments' addresses pay.
func addSettlements(ctx context.Context, from bun.IDB, list []orderRow) error {
	at := make(map[int64]int, len(list))
	ids := make([]int64, len(list))
	for i, r := range list {
		at[r.ID], ids[i] = i, r.ID
	}
	routes, err := db.All[struct {
		PaymentID  int64
		Settlement chain.Address
	}](ctx, from, "SELECT payment_id, settlement FROM routes WHERE payment_id IN (?) ORDER BY id", bun.List(ids))
	for _, r := range routes {
		list[at[r.PaymentID]].AddSettlement(string(r.Settlement))
	}
	return err
}
