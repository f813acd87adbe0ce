package store

import (
	"strings"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// routeRow is an address that was shown to a payer.
type routeRow struct {
	bun.BaseModel `bun:"table:routes,alias:r"`

	PaymentID  int64
	Network    string
	Address    string
	Raw        []byte
	Settlement string
	Tokens     string
	Since      instant
	Finality   string
}

const routeColumns = "payment_id, network, address, raw, settlement, tokens, since, finality"

// fields are where routeColumns is read to.
func (r *routeRow) fields() []any {
	return []any{&r.PaymentID, &r.Network, &r.Address, &r.Raw, &r.Settlement, &r.Tokens, &r.Since, &r.Finality}
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

// finalityOf reads what finalityText wrote. What cannot be read counts as the
// network's own rule, which is never earlier than is safe.
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
