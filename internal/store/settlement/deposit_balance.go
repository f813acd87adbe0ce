package settlement

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

var depositBalances = db.NewTable[balanceRow]("deposit_balances", `
	fixed:   network address/bytes contract/bytes payment_id
	changes: moved marked found through ahead=More failures blocked_until reason`)

// balanceRow is what sweeps have done to one address in one asset.
type balanceRow struct {
	settlement.Covering

	Network      chain.Network
	Address      chain.Address
	Contract     chain.Address
	PaymentID    int64
	More         bool // Ahead
	Failures     int
	BlockedUntil time.Time
	Reason       string
}

var _ = db.NewTable[dueRow]("deposits", `
	read: public_id=PaymentID address=Address.Address/bytes raw=Address.Raw settlement/bytes scheme contract=Asset.Contract/bytes
	      symbol=Asset.Symbol decimals=Asset.Decimals token=Asset.Token units=Deposit.Units account/bytes block=FirstBlock
	      final_at=Oldest moved=Covering.Moved marked=Covering.Marked through=Covering.Through failures blocked=BlockedUntil least
	      at_once wait_us=Wait id`)

// dueRow is a final deposit that is not swept, with its balance.
type dueRow struct {
	settlement.DepositBalance

	ID       int64
	Deposit  settlement.CoveredDeposit
	Covering settlement.Covering
	Account  chain.Address
}

// balanceDeposits is how many deposits of one balance are read, the largest
// first: a payer pays in a few, but a stranger can send dust by the thousand,
// which must not displace other balances.
const balanceDeposits = 200

// fromDue are the deposits that are due on a network, with what belongs to each.
const fromDue = ` FROM deposits AS d JOIN payments AS p ON p.id = d.payment_id
	JOIN routes AS r ON r.payment_id = d.payment_id AND r.network = d.network AND r.address = d.to_address
	LEFT JOIN deposit_balances AS balance ON balance.network = d.network AND balance.address = d.to_address
		AND balance.contract = d.contract
	LEFT JOIN custodians AS c ON c.key_id = p.key_id AND p.kind <> 'TOPUP'
	LEFT JOIN custodian_networks AS cn ON cn.custodian_id = c.id AND cn.network = d.network
	LEFT JOIN custodian_wallets AS cw ON cw.custodian_id = c.id AND cw.network = d.network
	LEFT JOIN settlement_schedules AS plan ON plan.key_id = c.key_id JOIN api_keys AS k ON k.id = p.key_id
	WHERE `

// selectCandidates reads what the order depends on. A deposit does not wait for others if its merchant asked for the
// money, has another settlement wallet now, or the key has ended.
const selectCandidates = `SELECT d.id, d.to_address AS address, d.contract, d.units, d.decimals, d.final_at AS oldest,
	coalesce(cn.sweep_min, 0) AS least, (plan.asked_at >= d.final_at OR cw.address <> r.settlement OR k.revoked_at IS NOT NULL
		OR k.disabled_at IS NOT NULL) AS urgent` + fromDue + `d.network = ? AND (? = 0 OR p.key_id = ? AND p.kind <> 'TOPUP')
	AND d.state = 'FINAL' AND d.swept_at IS NULL AND ` + table.Listed + ` AND (balance.blocked_until IS NULL OR balance.blocked_until <= ?)
	AND NOT EXISTS (SELECT 1 FROM sweep_claims AS claim WHERE claim.network = d.network AND claim.address = d.to_address)`

const selectDue = `SELECT d.id, p.public_id, r.address, r.raw, r.settlement, r.scheme, d.contract, d.symbol, d.decimals, d.token, d.units,
	d.account, d.block_number AS block, d.final_at, balance.moved, balance.marked, balance.through,
	coalesce(balance.failures, 0) AS failures, balance.blocked_until AS blocked, coalesce(cn.sweep_min, 0) AS least,
	coalesce(plan.at_once, 0) AS at_once, coalesce(plan.wait_us, 0) AS wait_us` + fromDue + "d.id IN (?)"

// candidateRow is a deposit that is due, as the order needs it.
type candidateRow struct {
	settlement.Candidate

	ID                int64
	Address, Contract chain.Address
	Units             money.Units
	Decimals          int
}

// DepositBalances lists what is due on the network, not claimed by a sweep in flight and
// not blocked. A deposit counts where it was shown for: one on another network
// of the same address waits for the operator, who knows whether the settlement
// wallet exists there. Those of a key are its sales': what buys its credits is the operator's.
//
// Deposits are read balance by balance. So the first balance is complete, and if
// the order finds it worth sweeping, the plan does too.
func (s *Store) DepositBalances(
	ctx context.Context, n chain.Network, q settlement.Query,
) (due []settlement.DepositBalance, err error) {
	err = s.db.Snapshot(ctx, func(ctx context.Context, t db.Tx) error {
		all, err := db.All[candidateRow](ctx, t, selectCandidates, n, q.KeyID, q.KeyID, db.From(q.Now))
		if err != nil || len(all) == 0 {
			return err
		}
		ids, urgent := inOrder(all, q)
		rows, err := db.All[dueRow](ctx, t, selectDue, bun.List(ids))
		place := make(map[int64]int, len(ids))
		for i, id := range ids {
			place[id] = i
		}
		slices.SortFunc(rows, func(a, b dueRow) int { return cmp.Compare(place[a.ID], place[b.ID]) })
		due = dueBalances(n, rows, urgent)
		return err
	})
	return due, db.Wrap(err, "what is due on %s", n)
}

// inOrder returns the deposits of the first balances, and which of the balances are not to wait.
func inOrder(all []candidateRow, q settlement.Query) (ids []int64, urgent map[balanceKey]bool) {
	deposits := make(map[balanceKey][]candidateRow)
	for _, r := range all {
		key := balanceKey{r.Address, r.Contract}
		deposits[key] = append(deposits[key], r)
	}
	balances, urgent := make(map[balanceKey]settlement.Candidate), make(map[balanceKey]bool)
	for key, list := range deposits {
		slices.SortFunc(list, func(a, b candidateRow) int {
			return cmp.Or(b.Units.Atto(b.Decimals).Cmp(a.Units.Atto(a.Decimals)), cmp.Compare(a.ID, b.ID))
		})
		list = list[:min(len(list), balanceDeposits, q.Limit)]
		deposits[key] = list
		whole := list[0].Candidate
		for _, r := range list {
			whole.Worth = whole.Worth.Add(r.Units.Atto(r.Decimals))
			whole.Urgent = whole.Urgent || r.Urgent
			if r.Oldest.Before(whole.Oldest) {
				whole.Oldest = r.Oldest
			}
		}
		balances[key], urgent[key] = whole, whole.Urgent
	}
	for _, key := range slices.SortedFunc(maps.Keys(balances), func(a, b balanceKey) int {
		return cmp.Or(q.Compare(balances[a], balances[b]), cmp.Compare(a.address, b.address),
			cmp.Compare(a.contract, b.contract))
	}) {
		list := deposits[key]
		slices.SortFunc(list, func(a, b candidateRow) int { return cmp.Compare(a.ID, b.ID) })
		for _, r := range list {
			if len(ids) < q.Limit {
				ids = append(ids, r.ID)
			}
		}
	}
	return ids, urgent
}

// dueBalances adds the deposits of each balance up.
func dueBalances(n chain.Network, rows []dueRow, urgent map[balanceKey]bool) []settlement.DepositBalance {
	var due []settlement.DepositBalance
	index := make(map[balanceKey]int)
	var coverings []settlement.Covering
	var deposits [][]settlement.CoveredDeposit
	for _, r := range rows {
		key := balanceKey{r.Address.Address, r.Asset.Contract}
		i, known := index[key]
		if !known {
			i = len(due)
			index[key] = i
			r.Asset.Network, r.Urgent = n, urgent[key]
			due, coverings = append(due, r.DepositBalance), append(coverings, r.Covering)
			deposits = append(deposits, nil)
		}
		r.Deposit.Block, r.Deposit.Final = r.FirstBlock, true
		deposits[i] = append(deposits[i], r.Deposit)
		if r.Account != "" && !slices.Contains(due[i].Accounts, r.Account) {
			due[i].Accounts = append(due[i].Accounts, r.Account)
		}
		due[i].FirstBlock = min(due[i].FirstBlock, r.FirstBlock)
		if r.Oldest.Before(due[i].Oldest) {
			due[i].Oldest = r.Oldest
		}
	}
	for i := range due {
		due[i].Due = coverings[i].Due(deposits[i])
	}
	return due
}

// balanceKey identifies a balance on one network.
type balanceKey struct{ address, contract chain.Address }

// SettleCovered marks deposits as swept that became final after a sweep had
// moved them with others. Usually there are none, and nothing is written.
func (s *Store) SettleCovered(ctx context.Context, n chain.Network, now time.Time) error {
	const covered = `SELECT balance.* FROM deposit_balances AS balance WHERE balance.network = ? AND balance.ahead AND EXISTS (SELECT 1 FROM deposits AS d
		WHERE d.payment_id = balance.payment_id AND d.network = balance.network AND d.to_address = balance.address AND d.contract = balance.contract
		AND d.state = 'FINAL' AND d.swept_at IS NULL AND ` + lastBlock + ` <= balance.through) ORDER BY balance.address, balance.contract`
	rows, err := db.All[balanceRow](ctx, s.db.Reader(), covered, n)
	if err != nil || len(rows) == 0 {
		return db.Wrap(err, "deposits of %s that were swept early", n)
	}
	err = s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		due, err := db.All[balanceRow](ctx, t, covered+t.ForUpdate(), n)
		if err != nil {
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
	return db.Wrap(err, "deposits of %s that were swept early", n)
}
