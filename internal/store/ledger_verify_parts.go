package store

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

// account is an account in one unit.
type account struct{ unit, name string }

// accounts: each balance is the sum of its entries, all accounts of a unit add up to nothing, and each belongs to a
// key.
func (c *ledgerCheck) accounts(ctx context.Context, t db.Tx) error {
	sums := make(map[account]int64)
	c.proven, c.newest = make(map[account]int64), c.last.NextID
	if err := c.kept(ctx, t, sums); err != nil {
		return err
	}
	if err := c.added(ctx, t, sums); err != nil {
		return err
	}
	total := make(map[string]int64)
	for a, sum := range sums {
		total[a.unit] += sum
		_, key := ledger.Account(a.name).KeyID()
		_, held := ledger.Account(a.name).HeldID()
		if !key && !held && a.name != string(ledger.Issued) && a.name != string(ledger.Spent) {
			c.differf("account %q in %s belongs to no key", a.name, a.unit)
		}
	}
	for unit, sum := range total {
		if sum != 0 {
			c.differf("all accounts in %s add up to %d, not to 0", unit, sum)
		}
	}
	return c.balances(ctx, t, sums)
}

// kept adds the sums of the last check, if the check goes on from one.
func (c *ledgerCheck) kept(ctx context.Context, t db.Tx, sums map[account]int64) error {
	if c.last.ProvenAt.IsZero() {
		return nil
	}
	var rows []struct {
		Unit, Account string
		Balance       int64
	}
	if err := t.NewRaw("SELECT unit, account, balance FROM ledger_proof_sums").Scan(ctx, &rows); err != nil {
		return err
	}
	for _, r := range rows {
		sums[account{r.Unit, r.Account}] = r.Balance
	}
	return nil
}

// added adds the entries after the last check, and to proven those up to bound.
func (c *ledgerCheck) added(ctx context.Context, t db.Tx, sums map[account]int64) error {
	var rows []struct {
		Unit, FromAccount, ToAccount string
		Proven                       bool
		Sum, Entries, Newest         int64
	}
	err := t.NewRaw(`SELECT unit, from_account, to_account, id <= ? AS proven, CAST(sum(count) AS bigint) AS sum,
		count(*) AS entries, max(id) AS newest FROM ledger_entries WHERE id > ?
		GROUP BY unit, from_account, to_account, id <= ?`, c.bound, c.last.ThroughID, c.bound).Scan(ctx, &rows)
	if err != nil {
		return err
	}
	for _, r := range rows {
		c.Entries, c.newest = c.Entries+r.Entries, max(c.newest, r.Newest)
		from, to := account{r.Unit, r.FromAccount}, account{r.Unit, r.ToAccount}
		if r.Proven || !c.many {
			for _, a := range []account{from, to} {
				if _, known := c.proven[a]; !known {
					c.proven[a] = sums[a]
				}
			}
			c.proven[from] -= r.Sum
			c.proven[to] += r.Sum
		}
	}
	for _, r := range rows { // after what was proven before was read
		sums[account{r.Unit, r.FromAccount}] -= r.Sum
		sums[account{r.Unit, r.ToAccount}] += r.Sum
	}
	return nil
}

// balances compares the balances of the keys with the sums.
func (c *ledgerCheck) balances(ctx context.Context, t db.Tx, sums map[account]int64) error {
	var kept []struct {
		KeyID   int64
		Unit    string
		Balance int64
		Held    int64
	}
	if err := t.NewRaw("SELECT key_id, unit, balance, held FROM balances ORDER BY unit, key_id").Scan(ctx, &kept); err != nil {
		return err
	}
	known := make(map[account]bool)
	for _, k := range kept {
		own, held := account{k.Unit, string(ledger.Key(k.KeyID))}, account{k.Unit, string(ledger.Held(k.KeyID))}
		known[own], known[held] = true, true
		if sums[own] != k.Balance {
			c.differf("key %d has a balance of %d in %s, and its entries add up to %d", k.KeyID, k.Balance, k.Unit, sums[own])
		}
		if sums[held] != k.Held {
			c.differf("key %d has %d held in %s, and its entries add up to %d", k.KeyID, k.Held, k.Unit, sums[held])
		}
	}
	for a, sum := range sums {
		if a.name != string(ledger.Issued) && a.name != string(ledger.Spent) && !known[a] && sum != 0 {
			c.differf("account %q has entries of %d in %s and no balance", a.name, sum, a.unit)
		}
	}
	return nil
}

// paidFor holds for a payment p whose key paid one credit for its start.
const paidFor = `EXISTS (SELECT 1 FROM ledger_entries AS e WHERE e.ref = 'start:' || p.public_id AND e.unit = ? AND e.count = 1
	AND e.from_account = 'key:' || p.key_id AND e.to_account IN (?, 'held:' || p.key_id))`

// starts: a start costs the key one credit, top-ups excepted. What was started since the check is open, or ended since.
func (c *ledgerCheck) starts(ctx context.Context, t db.Tx) error {
	const started = "SELECT p.public_id FROM payments AS p WHERE p.started_at IS NOT NULL AND p.kind <> ? AND NOT " + paidFor
	args := []any{string(payment.KindTopUp), string(ledger.Credit), string(ledger.Spent)}
	var unpaid []string
	err := t.NewRaw(started+" AND p.ended_at IS NULL UNION ALL "+started+" AND p.ended_at IS NOT NULL AND p.ended_at >= ?",
		append(append(args, args...), c.from())...).Scan(ctx, &unpaid)
	for _, id := range unpaid {
		c.differf("payment %s was started, and its key did not pay one credit for it", id)
	}
	return err
}

// topUps: the entries of each top-up add up to the credits recorded with it, and each new one is of a top-up of its
// key.
func (c *ledgerCheck) topUps(ctx context.Context, t db.Tx) error {
	var wrong []struct {
		PublicID         string
		Credited, Posted int64
	}
	err := t.NewRaw(`SELECT public_id, credited, posted FROM (SELECT p.public_id, p.credited, (SELECT CAST(coalesce(sum(e.count), 0) AS bigint)
		FROM ledger_entries AS e WHERE e.to_account = 'key:' || p.key_id AND e.to_account <> 'spent' AND e.unit = ?0
		AND substr(e.ref, 1, 32) = 'topup:' || p.public_id) AS posted FROM payments AS p WHERE p.kind = 'TOPUP') AS sides
		WHERE credited <> posted UNION ALL
		SELECT substr(e.ref, 7, 26), 0, e.count FROM ledger_entries AS e WHERE e.id > ?1 AND e.ref LIKE 'topup:%' AND e.unit = ?0
		AND NOT EXISTS (SELECT 1 FROM payments AS p WHERE p.public_id = substr(e.ref, 7, 26) AND p.kind = 'TOPUP'
		AND e.to_account = 'key:' || p.key_id)`, string(ledger.Credit), c.last.ThroughID).Scan(ctx, &wrong)
	for _, w := range wrong {
		c.differf("top-up %s is recorded to have bought %d credits, and its entries add up to %d", w.PublicID, w.Credited, w.Posted)
	}
	return err
}

// provenSales is what payments of a key add up to in a quarter of an hour on a network, in the currency that they were
// priced in.
type provenSales struct {
	KeyID, Quarter                   int64
	Network, Currency                string
	Payments, Volume, Counted, Added int64
	Price, Priced                    int64
}

// selectSold compares the rows of sales s with payments p, key by key, so that each side reads a range of an index.
const selectSold = `
	SELECT key_id, quarter, network, currency, CAST(sum(payments) AS bigint) AS payments,
		CAST(sum(volume) AS bigint) AS volume, CAST(sum(counted) AS bigint) AS counted,
		CAST(sum(added) AS bigint) AS added, CAST(sum(price) AS bigint) AS price, CAST(sum(priced) AS bigint) AS priced
	FROM (
		SELECT s.key_id, s.quarter, s.network, s.currency, s.payments, s.volume, s.price, 0 AS counted, 0 AS added,
			0 AS priced
		FROM api_keys AS k CROSS JOIN sales AS s WHERE s.key_id = k.id AND s.day >= ? / 96 AND s.quarter >= ?
		UNION ALL
		SELECT p.key_id, ?, p.network, p.currency, 0, 0, 0, 1, p.amount, p.price
		FROM api_keys AS k CROSS JOIN payments AS p
		WHERE p.key_id = k.id AND p.status = ? AND p.kind <> ? AND p.ended_at >= ?
	) AS sides
	GROUP BY key_id, quarter, network, currency
	HAVING sum(payments) <> sum(counted) OR sum(volume) <> sum(added) OR sum(price) <> sum(priced)`

// sales: the sums of a key are those of its completed payments, for each quarter of an hour from the one of the check
// on; without a check, for all.
func (c *ledgerCheck) sales(ctx context.Context, t db.Tx) error {
	first := int64(0)
	if !c.last.ProvenAt.IsZero() {
		first = c.from().Unix() / int64(quarterHour/time.Second)
	}
	var wrong []provenSales
	err := t.NewRaw(selectSold, first, first, bun.Safe(fmt.Sprintf(c.quarter, "p.ended_at")), string(payment.Completed),
		string(payment.KindTopUp), time.Unix(first*int64(quarterHour/time.Second), 0)).Scan(ctx, &wrong)
	for _, w := range wrong {
		when := time.Unix(w.Quarter*int64(quarterHour/time.Second), 0).UTC().Format(time.DateTime)
		if w.Price != w.Priced {
			c.differf("key %d has sales of %d of the smallest units of %q from %s on on %q, and its payments add up to %d",
				w.KeyID, w.Price, w.Currency, when, w.Network, w.Priced)
			continue
		}
		c.differf("key %d has sales of %s in %d payments from %s on on %q, and its payments add up to %s in %d",
			w.KeyID, money.Micros(w.Volume), w.Payments, when, w.Network, money.Micros(w.Added), w.Counted)
	}
	return err
}
