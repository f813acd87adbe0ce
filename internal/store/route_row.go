package store

import (
	"strings"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

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
		Settlement: string(r.Settlement), Tokens: joinTokens(r.Tokens), Since: db.At(r.Since), Finality: finalityText(r.Finality),
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
