package table

import (
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

// Listed is the SQL condition that a deposit d is in an asset of its network. Any other is named by its address
// (chain.Asset.Listed), which is longer than every symbol. It is worth nothing, and waits for the operator's rescue.
const Listed = "length(d.symbol) < 32"

// Deposits generates the statements of DepositRow. Sweeps write swept_at. What stands for many small transfers says how
// many, and the last block whose transfers it holds.
var Deposits = db.NewTable[DepositRow]("deposits", `
	fixed:   payment_id=Owner key_id network=Transfer.Network tx_hash=Transfer.Tx/bytes ordinal=Transfer.Ordinal
	         contract=Transfer.Asset.Contract/bytes to_address=Transfer.To/bytes seen_at account=Transfer.Account/bytes
	changes: symbol=Transfer.Asset.Symbol decimals=Transfer.Asset.Decimals token=Transfer.Asset.Token
	         from_address=Transfer.From/bytes units=Transfer.Units block_number=Transfer.Block.Number
	         block_hash=Transfer.Block.Hash/bytes block_time=Transfer.Block.Time source=Transfer.Source state late rechecked final_at
	         folded=Count folded_through=Through
	read:    swept_at=Swept/exists`)

// DepositRow is money that was seen on a payment's address. It describes its
// asset in full, whatever is configured later.
type DepositRow struct {
	payment.Deposit

	Owner int64 // the number of the payment
	KeyID int64
}

// Whole returns the deposit of a row that was read.
func (r *DepositRow) Whole() payment.Deposit {
	r.Transfer.Asset.Network = r.Transfer.Network
	return r.Deposit
}
