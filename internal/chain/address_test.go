package chain_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
)

func TestParseAddress(t *testing.T) {
	t.Parallel()
	// The vectors of EIP-55.
	for _, text := range []string{
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
		"0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
	} {
		digits := strings.TrimPrefix(text, "0x")
		for _, form := range []string{text, "0x" + strings.ToLower(digits), "0x" + strings.ToUpper(digits)} {
			w, err := chain.ParseAddress(chain.Base, form)
			if err != nil || string(w.Address) != text || len(w.Raw) != 20 {
				t.Errorf("%s is read as %s, %v", form, w.Address, err)
			}
		}
	}
	for text, network := range map[string]chain.Network{
		"": chain.BEP20, "0x": chain.BEP20, "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed": chain.Base,
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed": chain.Polygon, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe": chain.Base,
		"0x0000000000000000000000000000000000000000": chain.Base, "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk": chain.Base,
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg": chain.Base, "0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed": chain.Base,
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed ": chain.Solana, "11111111111111111111111111111111": chain.Solana,
		"HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpq0":  chain.Solana,
		"HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqkk": chain.Solana,
	} {
		if w, err := chain.ParseAddress(network, text); !fault.Is(err, fault.Invalid) || w.Address != "" {
			t.Errorf("%q on %s is read as %s, %v", text, network, w.Address, err)
		}
	}
	if w, err := chain.ParseAddress(chain.Solana, "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk"); err != nil ||
		len(w.Raw) != 32 {
		t.Errorf("a SOL address: %v", err)
	}
}

func TestAddressOf_RoundTrip(t *testing.T) {
	t.Parallel()
	for n, length := range map[chain.Network]int{chain.BEP20: 20, chain.Solana: 32} {
		rapid.Check(t, func(t *rapid.T) {
			raw := rapid.SliceOfN(rapid.Byte(), length, length).Draw(t, "raw")
			raw[0] |= 1
			w := chain.AddressOf(n, raw)
			back, err := chain.ParseAddress(n, string(w.Address))
			if err != nil || string(back.Raw) != string(raw) || back.Address != w.Address {
				t.Fatalf("%x became %s became %x, %v", raw, w.Address, back.Raw, err)
			}
		})
	}
}

func TestParseFinality(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"finalized", "safe", "12s", "1s", "24h0m0s"} {
		f, err := chain.ParseFinality(text)
		if err != nil || f.String() != text {
			t.Errorf("%s is read as %s, %v", text, f, err)
		}
	}
	for _, text := range []string{"", "latest", "12", "0s", "-1s", "500ms", "1.5s", "24h1s", "Safe"} {
		if f, err := chain.ParseFinality(text); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q is read as %s, %v", text, f, err)
		}
	}
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	seen := map[chain.Network]bool{}
	for _, p := range chain.Profiles() {
		seen[p.Network] = true
		for _, a := range p.Assets {
			w, err := chain.ParseAddress(p.Network, string(a.Contract))
			if err != nil || w.Address != a.Contract || a.Network != p.Network || a.Decimals < 6 || a.Decimals > 18 {
				t.Errorf("%s on %s: %+v, %v", a.Symbol, p.Network, a, err)
			}
		}
		if p.Finality == (chain.Finality{}) || p.HeadLimit <= 0 || p.Name == "" {
			t.Errorf("%s: %+v", p.Network, p)
		}
	}
	if len(seen) != len(chain.Networks()) {
		t.Errorf("profiles of %d networks", len(seen))
	}
}
