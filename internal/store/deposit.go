package store

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// The key is chain.TransferID; every other column that the chain decides is
// rewritten. A transfer belongs to one payment: the upsert writes no row if
// another payment has it, nor if small transfers were folded into a row that was
// swept meanwhile, which would never be swept again.
var upsertDeposit = table.Deposits.Upsert(
	"network, tx_hash, ordinal, to_address, contract", ` WHERE deposits.payment_id = excluded.payment_id
		AND (deposits.folded = 0 OR deposits.swept_at IS NULL)`,
)

// saveDeposit returns the statement that stores a deposit or updates it.
func saveDeposit(p payment.Payment, d payment.Deposit) (*db.Stmt, error) {
	t := d.Transfer
	_, err := table.BlockNumber(t.Block)
	_, through := table.BlockNumber(chain.Head{Number: d.Through})
	if err := cmp.Or(err, through); err != nil {
		return nil, fmt.Errorf("deposit %s %s: %w", t.Network, t.Tx, err)
	}
	if t.Units.Big().Sign() < 0 {
		return nil, fmt.Errorf("deposit %s %s: negative amount", t.Network, t.Tx)
	}
	row := table.DepositRow{Deposit: d, Owner: p.Number, KeyID: p.KeyID}
	return upsertDeposit.With(table.Deposits.Values(&row)...), nil
}

// unsweep returns the statements that take back that a final deposit was swept which is not final any more, or pays
// another amount. What the sweep moved is marked when it is final (settlement.Store.SettleCovered). The first statement
// waits for a sweep that is marking the deposit, whose balance may be new; of two that wait for each other, one is
// repeated.
func unsweep(before payment.Payment, d payment.Deposit) []*db.Stmt {
	t := d.Transfer
	if d.Folded() || !slices.ContainsFunc(before.Deposits, d.Replaces) {
		return nil
	}
	return []*db.Stmt{
		db.Exec(`UPDATE deposits SET swept_at = NULL
			WHERE network = ? AND tx_hash = ? AND ordinal = ? AND to_address = ? AND contract = ?`,
			t.Network, db.Packed(t.Tx), t.Ordinal, db.Packed(t.To), db.Packed(t.Asset.Contract)),
		db.Exec("UPDATE deposit_balances SET ahead = TRUE WHERE network = ? AND address = ? AND contract = ?",
			t.Network, db.Packed(t.To), db.Packed(t.Asset.Contract)).AnyNumber(),
	}
}

// routes generates the statements of routeRow. The database sets its xact (see Watches).
var routes = db.NewTable[routeRow]("routes", `
	fixed:   payment_id=Owner network address=Address.Address/bytes raw=Address.Raw settlement/bytes scheme since finality also
	changes: tokens`)

// routeRow is an address that was shown to a payer.
type routeRow struct {
	payment.Route

	Owner int64 // the number of the payment
}
