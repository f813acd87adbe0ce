package store

import (
	"fmt"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

// deposits generates the statements of depositRow.
var deposits = db.NewTable[depositRow]()

// depositRow is money that was seen on a payment's address. It describes its
// asset in full, whatever is configured later.
type depositRow struct {
	bun.BaseModel `bun:"table:deposits,alias:d"`

	PaymentID   int64  `db:"fixed"`
	KeyID       int64  `db:"fixed"`
	Network     string `db:"fixed"`
	TxHash      string `db:"fixed"`
	Ordinal     int64  `db:"fixed"`
	Contract    string `db:"fixed"`
	Symbol      string `db:"fixed"`
	Decimals    int64  `db:"fixed"`
	Token       string `db:"fixed"`
	FromAddress string
	ToAddress   string `db:"fixed"`
	Units       string
	BlockNumber int64
	BlockHash   string
	BlockTime   instant
	Source      string
	State       string
	Hardened    bool
	Late        bool    `db:"fixed"`
	SeenAt      instant `db:"fixed"`
	FinalAt     instant
	SweptAt     instant `db:"read"` // sweeps write it
}

func (r *depositRow) deposit() (payment.Deposit, error) {
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
			Block:  blockOf(r.BlockNumber, r.BlockHash, r.BlockTime),
			Source: r.Source,
		},
		State: payment.DepositState(r.State), Rechecked: r.Hardened, Late: r.Late,
		SeenAt: r.SeenAt.Time, FinalAt: r.FinalAt.Time, Swept: !r.SweptAt.IsZero(),
	}, nil
}

// A transfer belongs to one payment: the upsert writes no row if another payment
// has it.
var upsertDeposit = deposits.Upsert("network, tx_hash, ordinal", " WHERE deposits.payment_id = excluded.payment_id")

// saveDeposit returns the statement that stores a deposit or updates it.
func saveDeposit(p *paymentRow, d payment.Deposit) (*db.Stmt, error) {
	t := d.Transfer
	block, err := storedBlock(t.Block)
	if err != nil {
		return nil, fmt.Errorf("deposit %s %s: %w", t.Network, t.Tx, err)
	}
	if t.Units.Big().Sign() < 0 {
		return nil, fmt.Errorf("deposit %s %s: negative amount", t.Network, t.Tx)
	}
	return upsertDeposit.With(deposits.Values(&depositRow{
		PaymentID: p.ID, KeyID: p.KeyID, Network: string(t.Network), TxHash: string(t.Tx), Ordinal: int64(t.Ordinal),
		Contract: string(t.Asset.Contract), Symbol: t.Asset.Symbol, Decimals: int64(t.Asset.Decimals), Token: string(t.Asset.Token),
		FromAddress: string(t.From), ToAddress: string(t.To), Units: t.Units.String(),
		BlockNumber: block, BlockHash: t.Block.Hash, BlockTime: db.At(t.Block.Time), Source: t.Source,
		State: string(d.State), Hardened: d.Rechecked, Late: d.Late, SeenAt: db.At(d.SeenAt), FinalAt: db.At(d.FinalAt),
	})...), nil
}
