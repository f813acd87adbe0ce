package store

import (
	"fmt"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// depositRow is money that was seen on a payment's address, with all that is
// needed to know its asset again whatever is configured later.
type depositRow struct {
	bun.BaseModel `bun:"table:deposits,alias:d"`

	PaymentID   int64
	Network     string
	TxHash      string
	Ordinal     int64
	Contract    string
	Symbol      string
	Decimals    int64
	Token       string
	FromAddress string
	ToAddress   string
	Units       string
	BlockNumber int64
	BlockHash   string
	BlockTime   instant
	Source      string
	State       string
	Hardened    bool
	Late        bool
	SeenAt      instant
	FinalAt     instant
	SweptAt     instant
}

const depositColumns = "payment_id, network, tx_hash, ordinal, contract, symbol, decimals, token, from_address, to_address, " +
	"units, block_number, block_hash, block_time, source, state, hardened, late, seen_at, final_at, swept_at"

// fields are where depositColumns is read to.
func (r *depositRow) fields() []any {
	return []any{
		&r.PaymentID, &r.Network, &r.TxHash, &r.Ordinal, &r.Contract, &r.Symbol, &r.Decimals, &r.Token,
		&r.FromAddress, &r.ToAddress, &r.Units, &r.BlockNumber, &r.BlockHash, &r.BlockTime, &r.Source,
		&r.State, &r.Hardened, &r.Late, &r.SeenAt, &r.FinalAt, &r.SweptAt,
	}
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

// saveDeposit returns the call that stores a deposit or brings it up to date.
// It writes one row, or none if the transfer belongs to another payment.
func saveDeposit(p *paymentRow, d payment.Deposit) (*call, error) {
	t := d.Transfer
	block, err := storedBlock(t.Block)
	if err != nil {
		return nil, fmt.Errorf("deposit %s %s: %w", t.Network, t.Tx, err)
	}
	if t.Units.Big().Sign() < 0 {
		return nil, fmt.Errorf("deposit %s %s: negative amount", t.Network, t.Tx)
	}
	return statement("INSERT INTO deposits (payment_id, key_id, network, tx_hash, ordinal, contract, symbol, decimals, token, "+
		"from_address, to_address, units, block_number, block_hash, block_time, source, state, hardened, late, seen_at, final_at) "+
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "+
		"ON CONFLICT (network, tx_hash, ordinal) DO UPDATE SET "+
		"units = excluded.units, from_address = excluded.from_address, block_number = excluded.block_number, "+
		"block_hash = excluded.block_hash, block_time = excluded.block_time, source = excluded.source, "+
		"state = excluded.state, hardened = excluded.hardened, final_at = excluded.final_at "+
		"WHERE deposits.payment_id = excluded.payment_id",
		p.ID, p.KeyID, string(t.Network), string(t.Tx), int64(t.Ordinal), string(t.Asset.Contract), t.Asset.Symbol,
		int64(t.Asset.Decimals), string(t.Asset.Token), string(t.From), string(t.To), t.Units.String(),
		block, t.Block.Hash, at(t.Block.Time), t.Source, string(d.State), d.Rechecked, d.Late,
		at(d.SeenAt), at(d.FinalAt)), nil
}
