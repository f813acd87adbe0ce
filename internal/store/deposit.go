package store

import (
	"fmt"
	"math"
	"strings"

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
	Symbol      string
	Decimals    int64
	Token       string
	FromAddress string
	ToAddress   string `db:"fixed"`
	Units       string
	BlockNumber int64
	BlockHash   string
	BlockTime   instant
	Source      string
	State       string
	Rechecked   bool
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
		State: payment.DepositState(r.State), Rechecked: r.Rechecked, Late: r.Late,
		SeenAt: r.SeenAt.Time, FinalAt: r.FinalAt.Time, Swept: !r.SweptAt.IsZero(),
	}, nil
}

// The key is chain.TransferID; every other column that the chain decides is
// rewritten. A transfer belongs to one payment: the upsert writes no row if
// another payment has it.
var upsertDeposit = deposits.Upsert(
	"network, tx_hash, ordinal, to_address, contract", " WHERE deposits.payment_id = excluded.payment_id",
)

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
		Contract: string(t.Asset.Contract), Symbol: t.Asset.Symbol, Decimals: int64(t.Asset.Decimals),
		Token:       string(t.Asset.Token),
		FromAddress: string(t.From), ToAddress: string(t.To), Units: t.Units.String(),
		BlockNumber: block, BlockHash: t.Block.Hash, BlockTime: db.At(t.Block.Time), Source: t.Source,
		State: string(d.State), Rechecked: d.Rechecked, Late: d.Late, SeenAt: db.At(d.SeenAt), FinalAt: db.At(d.FinalAt),
	})...), nil
}

// routes generates the statements of routeRow.
var routes = db.NewTable[routeRow]()

// routeRow is an address that was shown to a payer. The database sets its xact
// (see Watches).
type routeRow struct {
	bun.BaseModel `bun:"table:routes,alias:r"`

	PaymentID  int64  `db:"fixed"`
	Network    string `db:"fixed"`
	Address    string `db:"fixed"`
	Raw        []byte `db:"fixed"`
	Settlement string `db:"fixed"`
	Tokens     string
	Since      instant `db:"fixed"`
	Finality   string  `db:"fixed"`
}

func rowOfRoute(number int64, r payment.Route) *routeRow {
	return &routeRow{
		PaymentID: number, Network: string(r.Network), Address: string(r.Address.Address), Raw: r.Address.Raw,
		Settlement: string(r.Settlement), Tokens: joinTokens(r.Tokens), Since: db.At(r.Since),
		Finality: finalityText(r.Finality),
	}
}

func (r *routeRow) route() payment.Route {
	return payment.Route{
		Network:    chain.Network(r.Network),
		Address:    chain.Watched{Address: chain.Address(r.Address), Raw: r.Raw},
		Settlement: chain.Address(r.Settlement),
		Tokens:     splitTokens(r.Tokens),
		Since:      r.Since.Time,
		Finality:   finalityOf(r.Finality),
	}
}

// finalityText writes a rule; the network's own is an empty text.
func finalityText(f chain.Finality) string {
	if f == (chain.Finality{}) {
		return ""
	}
	return f.String()
}

// finalityOf reads what finalityText wrote. A rule that cannot be read counts as
// the network's own, which is safe.
func finalityOf(text string) chain.Finality {
	f, err := chain.ParseFinality(text)
	if err != nil {
		return chain.Finality{}
	}
	return f
}

// joinTokens writes tokens as a list separated by commas.
func joinTokens(tokens []money.Token) string {
	names := make([]string, len(tokens))
	for i, t := range tokens {
		names[i] = string(t)
	}
	return strings.Join(names, ",")
}

func splitTokens(text string) []money.Token {
	if text == "" {
		return nil
	}
	var tokens []money.Token
	for name := range strings.SplitSeq(text, ",") {
		tokens = append(tokens, money.Token(name))
	}
	return tokens
}

// Both databases hold numbers up to 2^63 - 1, a block number up to 2^64 - 1. No
// chain comes near either, but a faulty endpoint may report any number.

// storedBlock returns the number of a block as it is stored.
func storedBlock(h chain.Head) (int64, error) {
	if h.Number > math.MaxInt64 {
		return 0, fmt.Errorf("block number %d is out of range", h.Number)
	}
	return int64(h.Number), nil
}

// blockOf returns the block that was stored.
func blockOf(number int64, hash string, when instant) chain.Head {
	return chain.Head{Number: uint64(max(number, 0)), Hash: hash, Time: when.Time}
}
