package store

import (
	"fmt"

	"github.com/uptrace/bun"

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
	"network, tx_hash, ordinal, to_address, contract", " WHERE deposits.payment_id = excluded.payment_id "+
		"AND (deposits.folded = 0 OR deposits.swept_at IS NULL)",
)

// saveDeposit returns the statement that stores a deposit or updates it.
func saveDeposit(p *paymentRow, d payment.Deposit) (*db.Stmt, error) {
	t := d.Transfer
	block, err := table.BlockNumber(t.Block)
	if err != nil {
		return nil, fmt.Errorf("deposit %s %s: %w", t.Network, t.Tx, err)
	}
	through, err := table.BlockNumber(chain.Head{Number: d.Through})
	if err != nil {
		return nil, fmt.Errorf("deposit %s %s: %w", t.Network, t.Tx, err)
	}
	if t.Units.Big().Sign() < 0 {
		return nil, fmt.Errorf("deposit %s %s: negative amount", t.Network, t.Tx)
	}
	return upsertDeposit.With(table.Deposits.Values(&table.DepositRow{
		PaymentID: p.ID, KeyID: p.KeyID, Network: string(t.Network), TxHash: db.Packed(t.Tx), Ordinal: int64(t.Ordinal),
		Contract: db.Packed(t.Asset.Contract), Symbol: t.Asset.Symbol, Decimals: int64(t.Asset.Decimals),
		Token:       string(t.Asset.Token),
		FromAddress: db.Packed(t.From), ToAddress: db.Packed(t.To), Units: t.Units.String(),
		BlockNumber: block, BlockHash: db.Packed(t.Block.Hash), BlockTime: db.At(t.Block.Time), Source: t.Source,
		State: string(d.State), Rechecked: d.Rechecked, Late: d.Late,
		SeenAt: db.At(d.SeenAt), FinalAt: db.At(d.FinalAt),
		Folded: int64(d.Count), FoldedThrough: through, Account: db.Packed(t.Account),
	})...), nil
}

// routes generates the statements of routeRow.
var routes = db.NewTable[routeRow]()

// routeRow is an address that was shown to a payer. The database sets its xact
// (see Watches).
type routeRow struct {
	bun.BaseModel `bun:"table:routes,alias:r"`

	PaymentID  int64     `db:"fixed"`
	Network    string    `db:"fixed"`
	Address    db.Packed `db:"fixed"`
	Raw        []byte    `db:"fixed"`
	Settlement db.Packed `db:"fixed"`
	Scheme     int64     `db:"fixed"`
	Tokens     string
	Since      instant `db:"fixed"`
	Finality   string  `db:"fixed"`
	Also       string  `db:"fixed"`
}

func rowOfRoute(number int64, r payment.Route) *routeRow {
	return &routeRow{
		PaymentID: number, Network: string(r.Network), Address: db.Packed(r.Address.Address), Raw: r.Address.Raw,
		Settlement: db.Packed(r.Settlement), Scheme: int64(r.Scheme),
		Tokens: table.JoinTokens(r.Tokens), Since: db.At(r.Since),
		Finality: finalityText(r.Finality), Also: table.JoinChoices(r.Also),
	}
}

func (r *routeRow) route() payment.Route {
	return payment.Route{
		Network:    chain.Network(r.Network),
		Address:    chain.Watched{Address: chain.Address(r.Address), Raw: r.Raw},
		Settlement: chain.Address(r.Settlement),
		Scheme:     chain.AddressScheme(r.Scheme),
		Tokens:     table.SplitTokens(r.Tokens),
		Since:      r.Since.Time,
		Finality:   finalityOf(r.Finality),
		Also:       table.SplitChoices(r.Also),
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
