package merchant

import (
	"context"
	"slices"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
)

// TestService_CheckWallet: every way to store a settlement wallet asks the chain about it, once it differs, and what
// the chain refuses is not stored and costs nothing.
func TestService_CheckWallet(t *testing.T) {
	t.Parallel()
	const good, bad = "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk", "5N3f1tj9v1vc5TUZ8S7mCAnVmjVKrfnzXWhxLaxyZAgt"
	b := newBundle()
	var asked []chain.Address
	s := New(b.store, nil, b.clock.Now, Options{
		CheckWallet: func(_ context.Context, _ chain.Network, w chain.Address) error {
			if asked = append(asked, w); w == bad {
				return fault.New(fault.Invalid, "this is a token account")
			}
			return nil
		},
	})
	k, _ := b.mustCreateKey(t, NewKey{Credits: 5})
	wallet := func(w string) CustodianInput {
		return CustodianInput{Wallets: map[chain.Network]string{chain.Solana: w}}
	}
	refused := func(t *testing.T, err error) {
		t.Helper()
		if f := fault.Of(err); f == nil || f.Kind != fault.Invalid || f.Field != "wallets.solana" {
			t.Errorf("%v, want Invalid of wallets.solana", err)
		}
	}
	_, _, err := s.CreateCustodian(t.Context(), k, wallet(bad), audit.Act{})
	refused(t, err)
	_, _, err = s.ArrangeCustodian(t.Context(), k, wallet(bad), audit.Act{})
	refused(t, err)
	if _, _, err := s.CreateCustodian(t.Context(), k, wallet(good), audit.Act{}); err != nil {
		t.Fatal(err)
	}
	_, err = s.UpdateCustodian(t.Context(), k, wallet(bad), audit.Act{})
	refused(t, err)
	_, _, err = s.ArrangeCustodian(t.Context(), k, wallet(bad), audit.Act{})
	refused(t, err)
	if c, err := s.UpdateCustodian(t.Context(), k, wallet(good),
		audit.Act{}); err != nil || c.Wallets[chain.Solana] != good {
		t.Errorf("UpdateCustodian = %+v, %v", c, err)
	}
	if want := []chain.Address{bad, bad, good, bad, bad}; !slices.Equal(asked, want) {
		t.Errorf("asked about %s, want %s", asked, want)
	}
	if got := b.credits(t, k); got != 3 {
		t.Errorf("%d credits left, want 3", got)
	}
}
