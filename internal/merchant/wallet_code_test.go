package merchant

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
)

// codes is the code at a wallet by network; networks that are left out cannot be asked.
type codes map[chain.Network]string

func (c codes) at(_ context.Context, n chain.Network, _ chain.Address) (string, bool) {
	code, known := c[n]
	return code, known
}

// TestService_WalletWarnings: a wallet that is not the same on every EVM network is noticed when it is set, on the
// networks where it is named and on those where money can reach it all the same.
func TestService_WalletWarnings(t *testing.T) {
	t.Parallel()
	const vault, other = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94", "0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0"
	const on = "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk"
	wallets := func(w map[chain.Network]chain.Address) Custodian { return Custodian{Wallets: w} }
	onPolygon := wallets(map[chain.Network]chain.Address{chain.Polygon: vault})
	onBoth := wallets(map[chain.Network]chain.Address{chain.Polygon: vault, chain.Base: vault})
	for name, c := range map[string]struct {
		code          codes
		before, after Custodian
		want          []string // parts of the only warning; none: no warning
	}{
		"SameCode": {codes{chain.BEP20: "a", chain.Polygon: "a", chain.Base: "a"}, Custodian{}, onBoth, nil},
		"NoCode":   {codes{chain.BEP20: "", chain.Polygon: "", chain.Base: ""}, Custodian{}, onBoth, nil},
		"OneIsPlain": {
			codes{chain.Polygon: "a", chain.Base: ""},
			Custodian{},
			onBoth,
			[]string{vault, "contract on Polygon", "not on Base"},
		},
		"Elsewhere": {
			codes{chain.Polygon: "a", chain.BEP20: ""},
			Custodian{},
			onPolygon,
			[]string{vault, "contract on Polygon", "not on BNB Smart Chain"},
		},
		"NotHere": {
			codes{chain.Polygon: "", chain.BEP20: "a"},
			Custodian{},
			onPolygon,
			[]string{"contract on BNB Smart Chain", "not on Polygon"},
		},
		"OtherCode": {
			codes{chain.Polygon: "a", chain.Base: "b"},
			Custodian{},
			onBoth,
			[]string{"a contract of its own", "Polygon", "Base"},
		},
		"Unreachable": {codes{chain.Polygon: "a"}, Custodian{}, onBoth, nil},
		"Unchanged":   {codes{chain.Polygon: "a", chain.Base: ""}, onBoth, onBoth, nil},
		"Added":       {codes{chain.Polygon: "a", chain.Base: ""}, onPolygon, onBoth, []string{"contract on Polygon"}},
		"Removed":     {codes{chain.Polygon: "a", chain.Base: ""}, onBoth, onPolygon, nil},
		"Three": {
			codes{chain.BEP20: "", chain.Polygon: "a", chain.Base: ""},
			Custodian{},
			onBoth,
			[]string{"contract on Polygon", "not on BNB Smart Chain (BEP20) and Base"},
		},
		"Solana": {
			codes{chain.Solana: "a"}, Custodian{}, wallets(map[chain.Network]chain.Address{chain.Solana: on}), nil,
		},
		"Apart": {
			codes{chain.Polygon: "a", chain.Base: "a"},
			Custodian{},
			wallets(map[chain.Network]chain.Address{chain.Polygon: vault, chain.Base: other}), nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle()
			got := New(b.store, nil, b.clock.Now, Options{WalletCode: c.code.at}).WalletWarnings(
				t.Context(), c.before, c.after,
			)
			if (len(got) == 1) != (len(c.want) > 0) || len(got) > 1 {
				t.Fatalf("noticed %q, want %q", got, c.want)
			}
			for _, part := range c.want {
				if !strings.Contains(got[0].String(), part) {
					t.Errorf("%q lacks %q", got[0], part)
				}
			}
		})
	}
}

// TestService_WalletWarningsWithoutChain: without networks to ask nothing is noticed.
func TestService_WalletWarningsWithoutChain(t *testing.T) {
	t.Parallel()
	b := newBundle()
	after := Custodian{Wallets: map[chain.Network]chain.Address{
		chain.Polygon: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
	}}
	if got := New(b.store, nil, b.clock.Now, Options{}).WalletWarnings(t.Context(), Custodian{}, after); got != nil {
		t.Errorf("noticed %q", got)
	}
}

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
