package solana_test

import (
	"slices"
	"testing"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/money"
)

// payable is an item of a new payment that nothing was paid to, and its owner.
func (s *till) payable(t *testing.T, asset chain.Asset) (chain.SweepItem, solanago.PublicKey) {
	t.Helper()
	item := s.deposit(t, s.assets[2], 1)
	item.Asset, item.Expected = asset, money.Units{}
	return item, solanago.PublicKey(item.Address.Raw)
}

// expects makes the item one of so many units that lie on the accounts.
func expects(i chain.SweepItem, units uint64, accounts ...solanago.PublicKey) chain.SweepItem {
	i.Expected = money.UnitsFromUint64(units)
	for _, k := range accounts {
		i.Accounts = append(i.Accounts, chain.Address(k.String()))
	}
	return i
}

// TestSender_OtherAccounts: a sweep moves what is recorded from wherever it lies under the owner's key, and no more;
// the emptied accounts are closed, and their rent comes back to the gas wallet.
func TestSender_OtherAccounts(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		s := newTill(t, h)
		s.fill(gasFunds)
		usdt, usdc := s.mints[s.assets[0].Contract], s.mints[s.assets[1].Contract]
		item, owner := s.payable(t, s.assets[1])
		s.Pay(chaintest.Payment{To: item.Address, Asset: s.assets[1], Units: 3})
		other, pay, key := s.second(owner, usdc, 20)
		s.mustSend(pay, key)
		same, paySame := s.nested(ata(owner, usdc), usdc, 100)
		cross, payCross := s.nested(ata(owner, usdt), usdc, 1_000)
		s.mustSend(paySame)
		s.mustSend(payCross) // its parent does not exist
		s.Mine(1)
		s.Finalize()
		items := []chain.SweepItem{expects(item, 1_120, other, same, cross)}
		wantMoved(t, s.carryOut(t, items, s.mustSign(t, items)), items, 1_120)
		if got := s.holds(t, s.settlement, s.assets[1]); got != 1_120 {
			t.Errorf("the settlement wallet holds %d, want 1120", got)
		}
		items = []chain.SweepItem{expects(item, 3, other, same, cross)}
		wantMoved(t, s.carryOut(t, items, s.mustSign(t, items)), items, 3)
		for left := items; len(left) > 0; s.Finalize() {
			left = s.closed(t, left)
		}
		for name, k := range map[string]solanago.PublicKey{
			"other": other, "same": same, "cross": cross, "account": ata(owner, usdc), "parent": ata(owner, usdt),
		} {
			if s.exists(t, k) {
				t.Errorf("the %s account is there", name)
			}
		}
		if left := s.lamports(t, owner); left != 0 {
			t.Errorf("%d lamports are left to the owner", left)
		}
		wantUnits(t, s.scannedOn(t, item.Address, other, same, cross), 1, 3, 20, 100, 1_000)
	})
}

// TestSender_NestedAgain: what comes to the associated account of a token account that was swept and closed is seen,
// and goes to the merchant.
func TestSender_NestedAgain(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		s := newTill(t, h)
		s.fill(gasFunds)
		item := s.deposit(t, s.assets[1], 5)
		s.Mine(1)
		s.Finalize()
		wantMoved(t, s.carryOut(t, []chain.SweepItem{item}, s.mustSign(t, []chain.SweepItem{item})),
			[]chain.SweepItem{item}, 5)
		s.closed(t, []chain.SweepItem{item})
		s.Finalize()
		account := s.accountOf(item)
		if s.exists(t, account) {
			t.Fatal("the swept account was not closed")
		}
		for _, units := range []uint64{7, 8} {
			nested, pay := s.nested(account, s.mints[item.Asset.Contract], units)
			s.mustSend(pay)
			s.Mine(1)
			s.Finalize()
			list := s.listed(t, item.Address, chain.ListDerived)
			wantAccounts(t, list, map[solanago.PublicKey]uint64{nested: units})
			again := []chain.SweepItem{expects(item, units, nested)}
			wantMoved(t, s.carryOut(t, again, s.mustSign(t, again)), again, units)
		}
		nested := ata(account, s.mints[item.Asset.Contract])
		wantUnits(t, s.scannedOn(t, item.Address, nested), 5, 7, 8)
	})
}

// TestSender_RescueAccounts: a rescue takes everything of a mint that is not accepted, on whatever account it lies, and
// leaves alone what is frozen.
func TestSender_RescueAccounts(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		s := newTill(t, h)
		s.fill(gasFunds)
		fake, usdc := s.assets[3], s.mints[s.assets[1].Contract]
		mint := s.mints[fake.Contract]
		item, owner := s.payable(t, chain.Asset{Network: chain.Solana, Contract: fake.Contract})
		item.Rescue = true
		s.Pay(chaintest.Payment{To: item.Address, Asset: fake, Units: 3})
		other, pay, key := s.second(owner, mint, 20)
		s.mustSend(pay, key)
		frozen, payFrozen, frozenKey := s.second(owner, mint, 50)
		s.mustSend(append(payFrozen, freeze(frozen, mint, s.rich.PublicKey())), frozenKey)
		nested, payNested := s.nested(ata(owner, usdc), mint, 100)
		s.mustSend(payNested)
		s.Mine(1)
		s.Finalize()
		list := s.listed(t, item.Address, chain.ListAll)
		wantAccounts(t, list, map[solanago.PublicKey]uint64{other: 20, frozen: 50, nested: 100, ata(owner, mint): 3})
		for _, a := range list {
			item.Accounts = append(item.Accounts, a.Account)
		}
		slices.Sort(item.Accounts)
		items := []chain.SweepItem{item}
		wantMoved(t, s.carryOut(t, items, s.mustSign(t, items)), items, 123)
		for left := items; len(left) > 0; s.Finalize() {
			left = s.closed(t, left)
		}
		if !s.exists(t, frozen) || s.exists(t, other) || s.exists(t, nested) {
			t.Error("the emptied accounts are to be closed, and the frozen one is not")
		}
	})
}
