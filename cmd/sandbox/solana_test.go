package main

import (
	"net/http"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/testkit"
)

// paySolana starts a payment on Solana and pays it.
func (r *running) paySolana(t *testing.T, amount, token string) payment.Payment {
	t.Helper()
	p := r.create(t, amount)
	started, err := r.App.Payments.Start(t.Context(), string(p.ID), choice("SOL", token), audit.Act{})
	testkit.Must(t, err)
	r.payWith(t, started, "exactly")
	return started
}

// settled waits until a payment is completed and its money swept.
func (r *running) settled(t *testing.T, p payment.Payment) payment.Payment {
	t.Helper()
	return r.becomes(t, p.ID, "completed and swept", func(p payment.Payment) bool {
		return p.Status == payment.Completed && len(p.Deposits) == 1 && p.Deposits[0].Swept
	})
}

// TestSolana_OldDirectory: a demo merchant without a wallet on Solana, as in a directory from before that
// network, gets one; the other wallets stay.
func TestSolana_OldDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := start(t, dir)
	own := "0x52908400098527886E0F7030069857D2E4169EE7"
	_, _, err := first.App.Merchants.ArrangeCustodian(t.Context(), merchant.Key{ID: first.Demo.KeyID},
		merchant.CustodianInput{Wallets: map[chain.Network]string{chain.Solana: "", chain.Polygon: own}}, audit.Act{})
	testkit.Must(t, err)
	before, err := first.App.Merchants.Custodian(t.Context(), first.Demo.KeyID)
	if err != nil || before.Wallets[chain.Solana] != "" {
		t.Fatalf("the custodian is %+v, %v", before.Wallets, err)
	}
	first.stop(t)
	second := start(t, dir)
	after, err := second.App.Merchants.Custodian(t.Context(), second.Demo.KeyID)
	if err != nil || after.Wallets[chain.Solana] == "" || after.Wallets[chain.Polygon] != chain.Address(own) {
		t.Errorf("the custodian is %+v, %v", after.Wallets, err)
	}
	second.settled(t, second.paySolana(t, "2.50", "USDC"))
}

// TestSolana_Settles: payments in both tokens complete and settle, also after a restart.
func TestSolana_Settles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := start(t, dir)
	usdt, usdc := first.paySolana(t, "12.50", "USDT"), first.paySolana(t, "7.25", "USDC")
	paid := first.settled(t, usdt)
	first.settled(t, usdc)
	res, err := http.Get(first.BaseURL + "/sandbox/explorer/sol/tx/" + string(paid.Deposits[0].Transfer.Tx))
	testkit.Must(t, err)
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("the explorer answers %s", res.Status)
	}
	late := first.paySolana(t, "3.00", "USDC")
	first.stop(t)

	second := start(t, dir)
	second.settled(t, late)
	second.settled(t, second.paySolana(t, "4.00", "USDT"))
}

// TestSettle: what is paid in either token on each EVM network is swept with the sandbox's own gas wallet. That the
// ledger agrees with the chains afterwards is for cmd/florin to show (TestSoak).
func TestSettle(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir())
	var all []payment.Payment
	for _, n := range r.App.Config.Networks {
		for _, token := range []string{"USDT", "USDC"} {
			if !n.Profile.Network.EVM() {
				continue
			}
			by := choice(string(n.Profile.Network), token)
			p, err := r.App.Payments.Start(t.Context(), string(r.create(t, "5.07").ID), by, audit.Act{})
			testkit.Must(t, err)
			r.payWith(t, p, "exactly")
			all = append(all, p)
		}
	}
	for _, p := range all {
		r.settled(t, p)
	}
}
