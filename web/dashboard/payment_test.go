package dashboard

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// TestStrayNotices: money that no sweep moves by itself is named until it is swept: on a network that was not chosen,
// and in a token that is none of the network's.
func TestStrayNotices(t *testing.T) {
	t.Parallel()
	const mint chain.Address = "So11111111111111111111111111111111111111112"
	deposit := func(n chain.Network, a chain.Asset, swept bool) payment.Deposit {
		return payment.Deposit{State: payment.DepositFinal, Swept: swept, Transfer: chain.Transfer{
			Key: chain.Key{Network: n}, Asset: a, Units: money.UnitsFromUint64(5_000_000),
		}}
	}
	usdc := chain.Asset{Contract: "usdc", Symbol: "USDC", Decimals: 6, Token: money.USDC}
	other := chain.Asset{Contract: mint, Symbol: string(mint), Decimals: 6}
	for name, c := range map[string]struct {
		deposit payment.Deposit
		want    string // empty: nothing is said
	}{
		"Chosen":       {deposit(chain.Solana, usdc, false), ""},
		"OtherNetwork": {deposit(chain.Base, usdc, false), "5.00 USDC came to this address on Base, which was not chosen"},
		"OtherToken":   {deposit(chain.Solana, other, false), "5.00 of the token " + string(mint) + " came to this address"},
		"Swept":        {deposit(chain.Solana, other, true), ""},
	} {
		list := strayNotices(t.Context(), payment.Payment{
			Routes: []payment.Route{{Network: chain.Solana}}, Deposits: []payment.Deposit{c.deposit},
		})
		if len(list) != min(len(c.want), 1) || c.want != "" && !strings.HasPrefix(list[0].Text, c.want) {
			t.Errorf("%s: %+v, want %q", name, list, c.want)
		}
	}
}
