package solana_test

import (
	"math"
	"slices"
	"testing"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
)

// onRuntimes runs the test on every runtime.
func onRuntimes(t *testing.T, run func(t *testing.T, h *harness)) {
	t.Helper()
	for name, start := range runtimes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, start(t))
		})
	}
}

// scanned returns what the reader finds for the owners up to now.
func (h *harness) scanned(t *testing.T, owners ...chain.Watched) []chain.Transfer {
	t.Helper()
	return scanWith(t, h.reader, owners...)
}

func scanWith(t *testing.T, r chain.Reader, owners ...chain.Watched) []chain.Transfer {
	t.Helper()
	heads, err := r.Heads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	set := chain.NewWatchSet(len(owners))
	for _, o := range owners {
		set.Add(o)
	}
	got, _, err := r.Scan(t.Context(), 0, heads.Latest, set)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// wantUnits fails unless exactly these amounts were found, in any order.
func wantUnits(t *testing.T, got []chain.Transfer, want ...uint64) {
	t.Helper()
	var units []uint64
	for _, tr := range got {
		units = append(units, tr.Units.Big().Uint64())
	}
	slices.Sort(units)
	slices.Sort(want)
	if !slices.Equal(units, want) {
		t.Fatalf("found %d, want %d: %+v", units, want, got)
	}
}

// included fails unless the transaction is in a block without error.
func (h *harness) included(t *testing.T, signature solanago.Signature) {
	t.Helper()
	found, err := h.reader.Find(t.Context(), chain.TxHash(signature.String()))
	if err != nil || !found.Exists || found.Failed {
		t.Fatalf("the test's own transaction: %+v, %v", found, err)
	}
}

// customer is an owner whose key the test has.
func customer(t *testing.T) (solanago.PrivateKey, chain.Watched) {
	t.Helper()
	key := newKey(t)
	return key, watched(key.PublicKey())
}

// TestScan_OtherAccount: tokens on an account of the owner that is not the associated one are not credited;
// Find reports where they are.
func TestScan_OtherAccount(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		to, mint, account := h.Address(), h.mints[h.Credited().Contract], newKey(t)
		payer := h.rich.PublicKey()
		from := ata(payer, mint)
		tx := h.mustSend([]solanago.Instruction{
			createAccount(payer, account.PublicKey(), h.rent(165), 165, solanago.TokenProgramID),
			initializeAccount(account.PublicKey(), mint, solanago.PublicKey(to.Raw)),
			createATA(payer, payer, mint), mintTo(mint, from, payer, 7),
			transferChecked(from, mint, account.PublicKey(), payer, 7, 6),
		}, account)
		h.Mine(1)
		h.included(t, tx)
		wantUnits(t, h.scanned(t, to))
		found, err := h.reader.Find(t.Context(), chain.TxHash(tx.String()))
		if err != nil || len(found.Transfers) == 0 ||
			found.Transfers[0].To != chain.Address(account.PublicKey().String()) {
			t.Errorf("found as %+v, %v", found, err)
		}
	})
}

// TestScan_Reassigned: an account whose owner changes in the paying transaction is not credited, although it
// holds the money.
func TestScan_Reassigned(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		owner, to := customer(t)
		mint := h.mints[h.Credited().Contract]
		list := append(h.pays(chaintest.Payment{To: to, Asset: h.Credited(), Units: 9}),
			setOwner(ata(owner.PublicKey(), mint), owner.PublicKey(), newKey(t).PublicKey()))
		tx := h.mustSend(list, owner)
		h.Mine(1)
		h.included(t, tx)
		wantUnits(t, h.scanned(t, to))
		heads, err := h.reader.Heads(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		balances, err := h.reader.Balances(t.Context(), h.Credited(), []chain.Address{to.Address}, heads.Latest)
		if err != nil || !balances[0].IsZero() {
			t.Errorf("the balance of an account that is another's: %v, %v", balances, err)
		}
	})
}

// TestScan_InAndOut: tokens that arrive and leave within one transaction are no payment; the rest that stays
// is.
func TestScan_InAndOut(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		owner, to := customer(t)
		mint, payer := h.mints[h.Credited().Contract], h.rich.PublicKey()
		account, back := ata(owner.PublicKey(), mint), ata(payer, mint)
		p := chaintest.Payment{To: to, Asset: h.Credited(), Units: 10}
		all := h.mustSend(append(h.pays(p), transfer(account, back, owner.PublicKey(), 10)), owner)
		h.Mine(1)
		h.included(t, all)
		wantUnits(t, h.scanned(t, to))
		most := h.mustSend(append(h.pays(p), transfer(account, back, owner.PublicKey(), 6)), owner)
		h.Mine(1)
		h.included(t, most)
		wantUnits(t, h.scanned(t, to), 4)
		back14 := transfer(account, back, owner.PublicKey(), 14)
		closed := h.mustSend(append(h.pays(p), back14, closeAccount(account, payer, owner.PublicKey())), owner)
		h.Mine(1)
		h.included(t, closed)
		wantUnits(t, h.scanned(t, to), 4)
	})
}

// TestScan_Reopened: an account that was closed and paid again has both payments, for a reader that ran all
// the time and for one that starts now.
func TestScan_Reopened(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		owner, to := customer(t)
		mint, payer := h.mints[h.Credited().Contract], h.rich.PublicKey()
		account := ata(owner.PublicKey(), mint)
		for _, units := range []uint64{10, 20} {
			h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: units})
			h.Mine(1)
			if units == 10 {
				wantUnits(t, h.scanned(t, to), 10)
			}
			h.mustSend([]solanago.Instruction{
				transfer(account, ata(payer, mint), owner.PublicKey(), units),
				closeAccount(account, payer, owner.PublicKey()),
			}, owner)
			h.Mine(1)
		}
		wantUnits(t, h.scanned(t, to), 10, 20)
		wantUnits(t, newHarness(t, h.bank, h.URL()).scanned(t, to), 10, 20)
		h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 30})
		h.Mine(1)
		wantUnits(t, h.scanned(t, to), 10, 20, 30)
		h.Finalize()
		wantUnits(t, h.scanned(t, to), 10, 20, 30)
		wantUnits(t, newHarness(t, h.bank, h.URL()).scanned(t, to), 10, 20, 30)
	})
}

// TestScan_Dusted: SOL, frozen accounts and payments of other owners do not stop a scan.
func TestScan_Dusted(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		to, mint, payer := h.Address(), h.mints[h.Credited().Contract], h.rich.PublicKey()
		account := ata(solanago.PublicKey(to.Raw), mint)
		h.mustSend(
			[]solanago.Instruction{
				transferSOL(payer, account, h.rent(165)), transferSOL(payer, solanago.PublicKey(to.Raw), h.rent(0)),
			},
		)
		h.Mine(1)
		wantUnits(t, h.scanned(t, to))
		h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 3})
		h.mustSend([]solanago.Instruction{freeze(account, mint, payer)})
		h.Mine(1)
		wantUnits(t, h.scanned(t, to), 3)
		tx := h.mustSend([]solanago.Instruction{transferSOL(payer, solanago.PublicKey(to.Raw), 5_000_000)})
		h.Mine(1)
		wantUnits(t, h.scanned(t, to), 3)
		found, err := h.reader.Find(t.Context(), chain.TxHash(tx.String()))
		if err != nil || len(found.Transfers) != 1 || found.Transfers[0].To != to.Address ||
			found.Transfers[0].Asset.Contract != "" {
			t.Errorf("SOL sent in place of a token is found as %+v, %v", found, err)
		}
	})
}

// TestScan_LargestAmount: amounts use all 64 bits.
func TestScan_LargestAmount(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		to := h.Address()
		h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: math.MaxUint64})
		h.Mine(1)
		wantUnits(t, h.scanned(t, to), math.MaxUint64)
	})
}
