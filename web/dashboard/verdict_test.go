package dashboard

import (
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
)

// TestVerdict_OtherAsset: money that does not count is named with what can still be done: a payment that is completed
// cannot be marked as completed.
func TestVerdict_OtherAsset(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	bridged := chain.Asset{Network: chain.Polygon, Token: money.USDC, Symbol: "USDC.e", Decimals: 6, Contract: "0xe"}
	for status, want := range map[payment.Status]string{
		payment.Started: "accept it as payment", payment.Expired: "accept it as payment",
		payment.Completed: "send it back",
	} {
		text := verdict(t.Context(), payment.Payment{
			Status: status, Kind: payment.KindMerchant, Amount: money.USD, ExpiresAt: at.Add(time.Hour),
			Deposits: []payment.Deposit{{State: payment.DepositFinal, Transfer: chain.Transfer{
				Key: chain.Key{Network: chain.Polygon}, Asset: bridged, Units: money.UnitsFromUint64(5_000_000),
			}}},
		}, refund.Back{}, at)
		if !strings.Contains(text, "USDC.e") || !strings.Contains(text, want) ||
			status == payment.Completed && strings.Contains(text, "mark the payment") {
			t.Errorf("%s: %q, want %q", status, text, want)
		}
	}
}

// TestSenders: money that a bridge has minted comes from the zero address, which is never offered to send it back to.
func TestSenders(t *testing.T) {
	t.Parallel()
	const zero, wallet = "0x0000000000000000000000000000000000000000", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	var p payment.Payment
	for _, from := range []chain.Address{wallet, zero, wallet, ""} {
		p.Deposits = append(p.Deposits, payment.Deposit{State: payment.DepositFinal, Transfer: chain.Transfer{
			Key: chain.Key{Network: chain.Base}, From: from, Units: money.UnitsFromUint64(5_000_000),
		}})
	}
	if got := senders(p); len(got) != 1 || got[0] != wallet {
		t.Errorf("the money is sent back to %q, want %s only", got, wallet)
	}
}
