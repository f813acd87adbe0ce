package table

import (
	"fmt"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/uptrace/bun"
)

// Deposits generates the statements of DepositRow.
var Deposits = db.NewTable[DepositRow]()

// Listed is the SQL condition that a deposit d is in an asset of its network. Any other is named by its address
// (chain.Asset.Listed), which is longer than every symbol. It is worth nothing, and waits for the operator's rescue.
const Listed = "length(d.symbol) < 32"

// DepositRow is money that was seen on a payment's address. It describes its
// asset in full, whatever is configured later.
type DepositRow struct {
	bun.BaseModel `bun:"table:deposits,alias:d"`

	PaymentID   int64     `db:"fixed"`
	KeyID       int64     `db:"fixed"`
	Network     string    `db:"fixed"`
	TxHash      db.Packed `db:"fixed"`
	Ordinal     int64     `db:"fixed"`
	Contract    db.Packed `db:"fixed"`
	Symbol      string
	Decimals    int64
	Token       string
	FromAddress db.Packed
	ToAddress   db.Packed `db:"fixed"`
	Units       string
	BlockNumber int64
	BlockHash   db.Packed
	BlockTime   db.Instant
	Source      string
	State       string
	Rechecked   bool
	Late        bool       `db:"fixed"`
	SeenAt      db.Instant `db:"fixed"`
	FinalAt     db.Instant
	SweptAt     db.Instant `db:"read"` // sweeps write it
	// Of a row that stands for many small transfers: how many, and the last block
	// whose transfers it holds.
	Folded        int64
	FoldedThrough int64
	Account       db.Packed `db:"fixed"` // the token account that it came to; empty: the associated one
}

// Deposit returns the deposit of the row.
func (r *DepositRow) Deposit() (payment.Deposit, error) {
	units, err := money.ParseUnits(r.Units)
	if err != nil {
		return payment.Deposit{}, fmt.Errorf("amount of deposit %s %s: %w", r.Network, r.TxHash, err)
	}
	network := chain.Network(r.Network)
	return payment.Deposit{
		Transfer: chain.Transfer{
			Key: chain.Key{Network: network, Tx: chain.TxHash(r.TxHash), Ordinal: int(r.Ordinal)},
			Asset: chain.Asset{
				Network: network, Contract: chain.Address(r.Contract), Symbol: r.Symbol,
				Decimals: int(r.Decimals), Token: money.Token(r.Token),
			},
			From: chain.Address(r.FromAddress), To: chain.Address(r.ToAddress), Units: units,
			Account: chain.Address(r.Account),
			Block:   Block(r.BlockNumber, string(r.BlockHash), r.BlockTime),
			Source:  r.Source,
		},
		State: payment.DepositState(r.State), Rechecked: r.Rechecked, Late: r.Late,
		SeenAt: r.SeenAt.Time, FinalAt: r.FinalAt.Time, Swept: !r.SweptAt.IsZero(),
		Count: int(r.Folded), Through: uint64(r.FoldedThrough), //nolint:gosec // a block number, as it was stored
	}, nil
}
