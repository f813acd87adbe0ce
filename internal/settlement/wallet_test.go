package settlement_test

import (
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/settlement"
)

// TestCheckWallet: money goes to a wallet on another network only if it is the same there.
func TestCheckWallet(t *testing.T) {
	t.Parallel()
	on := func(n chain.Network, code string) settlement.WalletCode {
		return settlement.WalletCode{Network: n, Code: code}
	}
	for name, tt := range map[string]struct {
		named []settlement.WalletCode
		here  settlement.WalletCode
		sends bool
	}{
		"PlainOnBoth":       {[]settlement.WalletCode{on(chain.Polygon, "")}, on(chain.Base, ""), true},
		"SameContract":      {[]settlement.WalletCode{on(chain.Polygon, "0xa")}, on(chain.Base, "0xa"), true},
		"ContractAndNone":   {[]settlement.WalletCode{on(chain.Polygon, "0xa")}, on(chain.Base, ""), false},
		"OtherContract":     {[]settlement.WalletCode{on(chain.Polygon, "0xa")}, on(chain.Base, "0xb"), false},
		"PlainAndContract":  {[]settlement.WalletCode{on(chain.Polygon, "")}, on(chain.Base, "0xb"), false},
		"NamedHere":         {[]settlement.WalletCode{on(chain.Base, "0xa")}, on(chain.Base, "0xb"), true},
		"SameAsOneOfTwo":    {[]settlement.WalletCode{on(chain.Polygon, "0xa"), on(chain.BEP20, "")}, on(chain.Base, ""), true},
		"NamedNowhereKnown": {nil, on(chain.Base, ""), false},
	} {
		if err := settlement.CheckWallet("0xw", tt.named, tt.here); (err == nil) != tt.sends {
			t.Errorf("%s: %v", name, err)
		}
	}
}
