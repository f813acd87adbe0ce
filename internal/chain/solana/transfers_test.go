package solana_test

import (
	"testing"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/money"
)

// TestAdapter_Transfers: as many transfers as are allowed, in two tokens and to new accounts, fit one transaction,
// which the wallet may have relayed. Two equal ones to one address are found as two, though the account gains one sum.
func TestAdapter_Transfers(t *testing.T) {
	t.Parallel()
	for name, open := range runtimes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			payer := newKey(t)
			from := chain.Address(payer.PublicKey().String())
			h.mustSend([]solanago.Instruction{transferSOL(h.rich.PublicKey(), payer.PublicKey(), 1_000_000_000)})
			for _, asset := range h.assets[:2] {
				h.Pay(chaintest.Payment{To: watched(payer.PublicKey()), Asset: asset, Units: 90_000_000})
			}
			h.Mine(1)
			var list []chain.Transfer
			for i := range chain.MostTransfers {
				list = append(list, chain.Transfer{
					To: chain.Address(newKey(t).PublicKey().String()), Asset: h.assets[i%2],
					Units: money.UnitsFromUint64(3_000_000),
				})
			}
			twice := list[2].To
			last := &list[len(list)-1]
			last.To, last.Asset = twice, list[2].Asset
			raw, err := h.reader.Transfers(t.Context(), from, list)
			if err != nil {
				t.Fatal(err)
			}
			hash := h.sends(signedBy(t, raw, payer), raw, list...)
			h.Finalize()
			found, err := h.reader.Find(t.Context(), hash)
			if err != nil || !found.Final || len(found.Transfers) != chain.MostTransfers-1 {
				t.Fatalf("found %+v, %v", found, err)
			}
			seen := map[chain.TransferID]bool{}
			equal := 0
			for _, each := range found.Each() {
				if seen[each.ID()] || each.Units.Big().Uint64() != 3_000_000 {
					t.Errorf("%+v", each)
				}
				seen[each.ID()] = true
				if each.To == twice {
					equal++
				}
			}
			if len(seen) != chain.MostTransfers || equal != 2 {
				t.Errorf("%d transfers, %d of them to one address", len(seen), equal)
			}
		})
	}
}
