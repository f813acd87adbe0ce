package settlement

import (
	"database/sql"
	"fmt"
	"math"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/db"
)

var (
	sweeps = db.NewTable[sweepRow]("sweeps", `
		number:  id=Number
		fixed:   public_id=ID network created_at
		changes: state ended_at tx_hash=Tx block_number=Block.Number block_hash=Block.Hash block_time=Block.Time paid moved=Count note`).
		Else(settlement.ErrUnknown)
	sweepItems = db.NewTable[itemRow]("sweep_items", `
		number:  id=Number
		fixed:   sweep_id payment_id=Payment txnid=PaymentID address=Address.Address/bytes raw=Address.Raw settlement/bytes scheme
		         contract=Asset.Contract/bytes symbol=Asset.Symbol decimals=Asset.Decimals token=Asset.Token expected rescue accounts
		         moved reason`)
	sweepAttempts = db.NewTable[attemptRow]("sweep_attempts", `
		fixed: sweep_id n tx_hash=Tx raw nonce valid_until=Until gas=Fee.Gas price=Fee.Price tip=Fee.Tip ceiling=Fee.Ceiling
		       made_at sent_at`)
)

// sweepRow is a sweep without its items and attempts.
type sweepRow struct {
	settlement.Sweep

	Number int64
	Count  int // of the balances that it moved
}

// itemRow is a balance that a sweep moves, and the outcome. Its token says what it counts as; its symbol is only shown,
// and may come from a contract.
type itemRow struct {
	chain.SweepItem

	Number  int64
	SweepID int64
	Payment sql.NullInt64 // NULL: the database does not know the payment
	Moved   sql.Null[money.Units]
	Reason  string
}

// attemptRow is one signed transaction of a sweep.
type attemptRow struct {
	chain.Attempt

	SweepID int64
}

func (r itemRow) key() balanceKey { return keyOfItem(r.SweepItem) }

func checkAttempt(a chain.Attempt) error {
	if a.N < 1 || a.Nonce > math.MaxInt64 || a.Until > math.MaxInt64 || a.Fee.Gas > math.MaxInt64 || len(a.Raw) == 0 ||
		a.Tx == "" {
		return fmt.Errorf("attempt %d of a sweep makes no sense", a.N)
	}
	return nil
}

// add adds an item of the sweep, with what became of it.
func (r *sweepRow) add(i itemRow) {
	i.Asset.Network = r.Network
	r.Items = append(r.Items, i.SweepItem)
	if i.Moved.Valid {
		r.Moved = append(r.Moved, chain.Moved{Address: i.Address.Address, Contract: i.Asset.Contract, Units: i.Moved.V})
	} else if i.Reason != "" {
		r.Unmoved = append(r.Unmoved, chain.Unmoved{
			Address: i.Address.Address, Contract: i.Asset.Contract, Reason: i.Reason,
		})
	}
}
