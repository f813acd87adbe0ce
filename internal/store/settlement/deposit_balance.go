package settlement

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/store/table"
)

// balanceRow is what sweeps have done to one address in one asset.
type balanceRow struct {
	bun.BaseModel `bun:"table:deposit_balances,alias:balance"`

	Network      string
	Address      db.Packed
	Contract     db.Packed
	PaymentID    int64
	Moved        string
	Marked       string
	Found        string
	Through      int64
	Ahead        bool
	Failures     int64
	BlockedUntil db.Instant
	Reason       string
}

// dueRow is a final deposit that is not swept, with its balance.
type dueRow struct {
	PublicID   string
	Address    db.Packed
	Raw        []byte
	Settlement db.Packed
	Scheme     int64
	Contract   db.Packed
	Symbol     string
	Decimals   int64
	Token      string
	Units      string
	Account    db.Packed
	Block      int64
	FinalAt    db.Instant
	Moved      string
	Marked     string
	Through    int64
	Failures   int64
	Blocked    db.Instant
	Least      int64
	AtOnce     int64
	WaitUs     int64
	Hurried    bool
}

// balanceDeposits is how many deposits of one balance are read, the largest
// first: a payer pays in a few, but a stranger can send dust by the thousand,
// which must not displace other balances.
const balanceDeposits = 200

// DepositBalances lists what is due on the network, not claimed by a sweep in flight and
// not blocked. A deposit counts where it was shown for: one on another network
// of the same address waits for the operator, who knows whether the settlement
// wallet exists there. Those of a key are its sales': what buys its credits is the operator's.
//
// Deposits are read balance by balance. So the first balance is complete, and if
// the order finds it worth sweeping, the plan does too.
func (s *Store) DepositBalances(
	ctx context.Context, n chain.Network, q settlement.Query,
) ([]settlement.DepositBalance, error) {
	const columns = "public_id, address, raw, settlement, scheme, contract, symbol, decimals, token, units, account, block, final_at, " +
		"moved, marked, through, failures, blocked, least, at_once, wait_us, hurry = 1 AS hurried"
	const inner = "public_id, address, raw, settlement, scheme, contract, symbol, decimals, token, units, account, block, final_at, " +
		"moved, marked, through, failures, blocked, least, at_once, wait_us"
	const worth = "CASE WHEN about >= ? AND (hurry = 1 OR oldest <= ? OR about >= ? AND about >= least * 0.0000010001) THEN "
	var rows []dueRow
	err := s.db.Reader().NewRaw("SELECT "+columns+" FROM (SELECT "+inner+", id, max(hurry) OVER (PARTITION BY address, contract) AS hurry, sum(size) OVER (PARTITION BY address, contract) AS about, "+
		"min(final_at) OVER (PARTITION BY address, contract) AS oldest FROM ("+
		"SELECT d.id, p.public_id, r.address, r.raw, r.settlement, r.scheme, "+
		"d.contract, d.symbol, d.decimals, d.token, d.units, d.account, d.block_number AS block, d.final_at, coalesce(balance.moved, '0') AS moved, coalesce(balance.marked, '0') AS marked, "+
		"coalesce(balance.through, 0) AS through, coalesce(balance.failures, 0) AS failures, balance.blocked_until AS blocked, coalesce(cn.sweep_min, 0) AS least, "+
		"coalesce(plan.at_once, 0) AS at_once, coalesce(plan.wait_us, 0) AS wait_us, "+hurry+" AS hurry, "+
		report.AboutUSD+" AS size, row_number() OVER (PARTITION BY d.to_address, d.contract ORDER BY "+report.AboutUSD+" DESC, d.id) AS place "+
		"FROM deposits AS d JOIN payments AS p ON p.id = d.payment_id "+
		"JOIN routes AS r ON r.payment_id = d.payment_id AND r.network = d.network AND r.address = d.to_address "+
		"LEFT JOIN deposit_balances AS balance ON balance.network = d.network AND balance.address = d.to_address AND balance.contract = d.contract "+
		"LEFT JOIN custodians AS c ON c.key_id = p.key_id AND p.kind <> ? "+
		"LEFT JOIN custodian_networks AS cn ON cn.custodian_id = c.id AND cn.network = d.network "+
		"LEFT JOIN custodian_wallets AS cw ON cw.custodian_id = c.id AND cw.network = d.network "+
		"LEFT JOIN settlement_schedules AS plan ON plan.key_id = c.key_id JOIN api_keys AS k ON k.id = p.key_id "+
		"WHERE d.network = ? AND (? = 0 OR p.key_id = ? AND p.kind <> ?) AND d.state = 'FINAL' AND d.swept_at IS NULL AND "+table.Listed+" AND (balance.blocked_until IS NULL OR balance.blocked_until <= ?) "+
		"AND NOT EXISTS (SELECT 1 FROM sweep_claims AS claim WHERE claim.network = d.network AND claim.address = d.to_address)"+
		") AS each_due WHERE place <= ?) AS due "+
		"ORDER BY "+worth+"0 ELSE 1 END, "+worth+"oldest END, about DESC, address, contract, id LIMIT ?",
		string(payment.KindTopUp), string(n), q.KeyID, q.KeyID, string(payment.KindTopUp), db.From(q.Now),
		min(balanceDeposits, q.Limit), surely(q.Dust),
		db.From(q.Aged), surely(q.Least),
		surely(q.Dust), db.From(q.Aged), surely(q.Least), q.Limit).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("what is due on %s: %w", n, err)
	}
	due, err := dueBalances(n, rows)
	if err != nil {
		return nil, fmt.Errorf("what is due on %s: %w", n, err)
	}
	return due, nil
}

// hurry is 1 for a deposit that does not wait for others: its merchant asked for the money, has another settlement
// wallet now, or the key has ended.
const hurry = "CASE WHEN plan.asked_at >= d.final_at OR cw.address <> r.settlement OR k.revoked_at IS NOT NULL " +
	"OR k.disabled_at IS NOT NULL THEN 1 ELSE 0 END"

// surely is an amount for comparing with report.AboutUSD, a little more than m, so
// that rounding never puts a balance first that is not worth sweeping.
func surely(m money.Micros) float64 { return report.USD(m) * 1.0001 }

// dueBalances adds the deposits of each balance up.
func dueBalances(n chain.Network, rows []dueRow) ([]settlement.DepositBalance, error) {
	var due []settlement.DepositBalance
	index := make(map[balanceKey]int)
	var coverings []settlement.Covering
	var deposits [][]settlement.CoveredDeposit
	for _, r := range rows {
		amounts, err := parseAll(r.Units, r.Moved, r.Marked)
		if err != nil {
			return nil, fmt.Errorf("balance %s %s: %w", r.Address, r.Contract, err)
		}
		key := balanceKey{r.Address, r.Contract}
		i, known := index[key]
		if !known {
			i = len(due)
			index[key] = i
			due, deposits = append(due, r.balance(n)), append(deposits, nil)
			coverings = append(
				coverings, settlement.Covering{Moved: amounts[1], Marked: amounts[2], Through: uint64(r.Through)},
			)
		}
		deposits[i] = append(
			deposits[i], settlement.CoveredDeposit{Units: amounts[0], Block: uint64(r.Block), Final: true},
		)
		if a := chain.Address(r.Account); a != "" && !slices.Contains(due[i].Accounts, a) {
			due[i].Accounts = append(due[i].Accounts, a)
		}
		due[i].FirstBlock = min(due[i].FirstBlock, uint64(r.Block))
		if r.FinalAt.Before(due[i].Oldest) {
			due[i].Oldest = r.FinalAt.Time
		}
	}
	for i := range due {
		due[i].Due = coverings[i].Due(deposits[i])
	}
	return due, nil
}

// balanceKey identifies a balance on one network.
type balanceKey struct{ address, contract db.Packed }

// balance returns the balance before its deposits are added.
func (r dueRow) balance(n chain.Network) settlement.DepositBalance {
	return settlement.DepositBalance{
		PaymentID: r.PublicID, Scheme: chain.AddressScheme(r.Scheme),
		Address:    chain.Watched{Address: chain.Address(r.Address), Raw: r.Raw},
		Settlement: chain.Address(r.Settlement),
		Asset: chain.Asset{
			Network: n, Contract: chain.Address(r.Contract), Symbol: r.Symbol, Decimals: int(r.Decimals),
			Token: money.Token(r.Token),
		},
		FirstBlock: uint64(r.Block), Oldest: r.FinalAt.Time, Least: money.Micros(r.Least),
		AtOnce: money.Micros(r.AtOnce), Wait: time.Duration(r.WaitUs) * time.Microsecond, Hurry: r.Hurried,
		Failures: int(r.Failures), BlockedUntil: r.Blocked.Time,
	}
}

// SettleCovered marks deposits as swept that became final after a sweep had
// moved them with others. Usually there are none, and nothing is written.
func (s *Store) SettleCovered(ctx context.Context, n chain.Network, now time.Time) error {
	const covered = "SELECT balance.* FROM deposit_balances AS balance WHERE balance.network = ? AND balance.ahead AND EXISTS (SELECT 1 FROM deposits AS d " +
		"WHERE d.payment_id = balance.payment_id AND d.network = balance.network AND d.to_address = balance.address AND d.contract = balance.contract " +
		"AND d.state = 'FINAL' AND d.swept_at IS NULL AND " + lastBlock + " <= balance.through) ORDER BY balance.address, balance.contract"
	var rows []balanceRow
	if err := s.db.Reader().NewRaw(covered, string(n)).Scan(ctx, &rows); err != nil {
		return fmt.Errorf("deposits of %s that were swept early: %w", n, err)
	}
	if len(rows) == 0 {
		return nil
	}
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		var due []balanceRow
		if err := t.NewRaw(covered+t.ForUpdate(), string(n)).Scan(ctx, &due); err != nil {
			return err
		}
		b := newBalances(n, due)
		if err := b.readDeposits(ctx, t); err != nil {
			return err
		}
		if err := b.mark(ctx, t, now); err != nil {
			return err
		}
		return b.save(ctx, t)
	})
	if err != nil {
		return fmt.Errorf("deposits of %s that were swept early: %w", n, err)
	}
	return nil
}
