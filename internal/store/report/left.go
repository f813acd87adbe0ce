package report

import (
	"cmp"
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

// Unsettled is final money on a network that should have reached the merchant's wallet
// by now.
type Unsettled struct {
	Network  chain.Network
	Payments int64      // whose money it is
	Oldest   payment.ID `bun:"public_id"` // of them
	Since    time.Time  `bun:"final_at"`  // when the oldest deposit became final
	Reason   string     // why it could not be moved; empty if it only waits
}

// UnsettledOf lists, for the merchant with these keys, the networks with deposits that a
// sweep could not move, or that have waited longer than any sweep should take. Deposits
// below dust wait for more to come, and those of top-ups are the operator's.
func (r *Reader) UnsettledOf(ctx context.Context, keys []int64, now time.Time, dust money.Micros) ([]Unsettled, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	rows, err := db.All[Unsettled](ctx, r.db.Reader(), `SELECT d.network, p.public_id, d.final_at, coalesce(b.reason, '') AS reason
		FROM deposits AS d JOIN payments AS p ON p.id = d.payment_id
		JOIN routes AS r ON r.payment_id = d.payment_id AND r.network = d.network AND r.address = d.to_address
		LEFT JOIN deposit_balances AS b ON b.network = d.network AND b.address = d.to_address
		AND b.contract = d.contract AND b.blocked_until > ?
		WHERE d.network IN (?) AND d.swept_at IS NULL AND d.state = 'FINAL' AND p.key_id IN (?) AND p.kind <> ? AND `+AboutUSD+` >= ?
		AND (b.blocked_until IS NOT NULL OR d.final_at < ? AND NOT `+scheduled+`) ORDER BY d.final_at LIMIT ?`,
		now, bun.List(chain.Networks()), bun.List(keys), payment.KindTopUp, USD(dust),
		now.Add(-lateDeposit), now.Add(-lateSchedule), MaxProblems)
	if err != nil {
		return nil, db.Wrap(err, "unsettled money of %d keys", len(keys))
	}
	var list []Unsettled
	type one struct {
		network chain.Network
		id      payment.ID
	}
	at, counted := make(map[chain.Network]int), make(map[one]bool)
	for _, x := range rows {
		i, ok := at[x.Network]
		if !ok {
			i, at[x.Network] = len(list), len(list)
			list = append(list, x)
		}
		if one := (one{x.Network, x.Oldest}); !counted[one] {
			counted[one] = true
			list[i].Payments++
		}
		list[i].Reason = cmp.Or(list[i].Reason, x.Reason)
	}
	return list, nil
}
