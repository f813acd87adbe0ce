package refund_test

import (
	"context"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
)

// relay notes the transfers that it may send.
type relay struct {
	refund.Wallets

	may []chain.Transfer
}

func (r *relay) SendTransfers(_ context.Context, _ []byte, list []chain.Transfer) (chain.TxHash, error) {
	r.may = list
	return "signature", nil
}

// TestService_Relay: a transaction may pay the refunds that a wallet was asked for, and none that waits, or of which a
// transaction is known: it would be paid twice.
func TestService_Relay(t *testing.T) {
	t.Parallel()
	sol := chain.Asset{Network: chain.Solana, Contract: "mint", Symbol: "USDC", Decimals: 6, Token: money.USDC}
	a := account(payment.DepositFinal, map[chain.Asset]uint64{sol: 10_000_000})
	for i, r := range []refund.Refund{
		{Status: refund.AddressGiven},
		{Status: refund.AddressGiven, AskedAt: t0},
		{Status: refund.Sent, AskedAt: t0},
	} {
		r.Asset, r.Units, r.Address.Address = sol, money.UnitsFromUint64(uint64(i+1)), "payer"
		a.Refunds = append(a.Refunds, r)
	}
	wallets := &relay{}
	s := refund.New(refund.Deps{Store: &memory{accounts: []refund.Account{a}}, Solana: wallets})
	if hash, err := s.Relay(t.Context(), []int64{1}, nil); hash != "signature" || err != nil {
		t.Errorf("%s, %v", hash, err)
	}
	if len(wallets.may) != 1 || wallets.may[0].To != "payer" || wallets.may[0].Asset != sol ||
		wallets.may[0].Units.Cmp(money.UnitsFromUint64(2)) != 0 {
		t.Errorf("may pay %+v, want the second refund", wallets.may)
	}
}
