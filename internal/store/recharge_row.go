package store

import (
	"fmt"
	"math"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/recharge"
	"github.com/florinpay/florin/internal/store/db"
)

// rechargeRow is a purchase of query units.
type rechargeRow struct {
	bun.BaseModel `bun:"table:recharges,alias:r"`

	ID          int64 `bun:",pk,autoincrement"`
	PublicID    string
	KeyID       int64
	Units       int64
	Network     string
	Contract    string
	Symbol      string
	Decimals    int64
	Token       string
	Wallet      string
	Treasury    string
	Amount      string
	TxHash      string
	Raw         []byte
	Nonce       int64
	State       string
	Note        string
	BlockNumber int64
	BlockHash   string
	BlockTime   instant
	CreatedAt   instant
	SentAt      instant
	LookAt      instant
	EndedAt     instant
}

func rowOfRecharge(r recharge.Recharge) (rechargeRow, error) {
	if r.ID == "" || r.Units < 1 || len(r.Bytes.Raw) == 0 || r.Bytes.Tx == "" || r.Bytes.Nonce > math.MaxInt64 {
		return rechargeRow{}, fmt.Errorf("recharge %q makes no sense", r.ID)
	}
	block, err := storedBlock(r.Block)
	if err != nil {
		return rechargeRow{}, err
	}
	t := r.Transfer
	return rechargeRow{
		PublicID: string(r.ID), KeyID: r.KeyID, Units: r.Units,
		Network: string(t.Asset.Network), Contract: string(t.Asset.Contract), Symbol: shown(t.Asset.Symbol), Decimals: int64(t.Asset.Decimals),
		Token: string(t.Asset.Token), Wallet: string(t.From), Treasury: string(t.To), Amount: t.Amount.String(),
		TxHash: string(r.Bytes.Tx), Raw: r.Bytes.Raw, Nonce: int64(r.Bytes.Nonce), State: string(r.State), Note: shown(r.Note),
		BlockNumber: block, BlockHash: r.Block.Hash, BlockTime: db.At(r.Block.Time),
		CreatedAt: db.At(r.CreatedAt), SentAt: db.At(r.SentAt), LookAt: db.At(r.LookAt), EndedAt: db.At(r.EndedAt),
	}, nil
}

func (r rechargeRow) recharge() (recharge.Recharge, error) {
	amount, err := money.ParseUnits(r.Amount)
	if err != nil {
		return recharge.Recharge{}, fmt.Errorf("amount of recharge %s: %w", r.PublicID, err)
	}
	return recharge.Recharge{
		ID: recharge.ID(r.PublicID), KeyID: r.KeyID, Units: r.Units,
		Transfer: chain.TokenTransfer{
			Asset: chain.Asset{
				Network: chain.Network(r.Network), Contract: chain.Address(r.Contract), Symbol: r.Symbol, Decimals: int(r.Decimals),
				Token: money.Token(r.Token),
			},
			From: chain.Address(r.Wallet), To: chain.Address(r.Treasury), Amount: amount,
		},
		Bytes: chain.SignedTx{Tx: chain.TxHash(r.TxHash), Raw: r.Raw, Nonce: uint64(r.Nonce)},
		State: recharge.State(r.State), Note: r.Note, Block: blockOf(r.BlockNumber, r.BlockHash, r.BlockTime),
		CreatedAt: r.CreatedAt.Time, SentAt: r.SentAt.Time, LookAt: r.LookAt.Time, EndedAt: r.EndedAt.Time,
	}, nil
}
