package main

import (
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/testkit"
)

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
