package solana_test

import (
	"errors"
	"testing"
	"time"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/money"
)

// TestSender_Sweep: deposits of both tokens go to a settlement wallet without accounts, the emptied accounts
// are closed and their rent is refunded.
func TestSender_Sweep(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		s := newTill(t, h)
		s.fill(gasFunds)
		items := []chain.SweepItem{
			s.deposit(t, s.assets[0], 11), s.deposit(t, s.assets[0], 22), s.deposit(t, s.assets[1], 33),
		}
		s.Mine(1)
		s.Finalize()
		var owners []chain.Watched
		for _, i := range items {
			owners = append(owners, i.Address)
		}
		wantUnits(t, s.scanned(t, owners...), 11, 22, 33)

		a := s.mustSign(t, items)
		s.track(t, chain.TxUnknown, items, a)
		seen := s.carryOut(t, items, a)
		wantMoved(t, seen, items, 11, 22, 33)
		// Two accounts and four signatures; refunded rent does not count.
		s.wantPaid(t, seen, a, 2*s.rent(165)+4*5_000)
		if got := s.holds(t, s.settlement, s.assets[0]); got != 33 {
			t.Errorf("the settlement wallet holds %d of the first token, want 33", got)
		}
		if got := s.holds(t, s.settlement, s.assets[1]); got != 33 {
			t.Errorf("the settlement wallet holds %d of the second token, want 33", got)
		}
		s.closed(t, items)
		s.Finalize()
		for _, i := range items {
			if s.exists(t, ata(solanago.PublicKey(i.Address.Raw), s.mints[i.Asset.Contract])) {
				t.Errorf("the account of %s is still there", i.Address.Address)
			}
		}
		gas, err := s.sender.GasWallet(t.Context())
		if err != nil || gas.Address != s.gas.Wallet() || gas.Balance.Cmp(money.UnitsFromUint64(gasFunds)) <= 0 {
			t.Errorf("the gas wallet holds %+v, %v: three rents are refunded for two paid", gas, err)
		}
		wantUnits(t, s.scanned(t, owners...), 11, 22, 33)
		s.reader = newHarness(t, s.bank, s.URL()).reader
		wantUnits(t, s.scanned(t, owners...), 11, 22, 33)
	})
}

// TestSender_Unrecorded: money that came after the plan stays, and so does its account; if the same amount is
// paid again after a sweep, the reader finds both payments.
func TestSender_Unrecorded(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		s := newTill(t, h)
		s.fill(gasFunds)
		item := s.deposit(t, s.assets[0], 10)
		s.Mine(1)
		wantUnits(t, s.scanned(t, item.Address), 10)
		s.Pay(chaintest.Payment{To: item.Address, Asset: s.assets[0], Units: 5})
		s.Mine(1)
		items := []chain.SweepItem{item}
		wantMoved(t, s.carryOut(t, items, s.mustSign(t, items)), items, 10)
		if got := s.holds(t, solanago.PublicKey(item.Address.Raw), s.assets[0]); got != 5 {
			t.Errorf("%d are left, want 5", got)
		}
		wantUnits(t, s.scanned(t, item.Address), 10, 5)
		items[0].Expected = money.UnitsFromUint64(5)
		s.carryOut(t, items, s.mustSign(t, items))
		s.Pay(chaintest.Payment{To: item.Address, Asset: s.assets[0], Units: 5})
		s.Mine(1)
		wantUnits(t, s.scanned(t, item.Address), 10, 5, 5)
	})
}

// TestSender_Refuses: items that do not fit, empty accounts, missing gas, and an invalid settlement wallet
// are refused.
func TestSender_Refuses(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		s := newTill(t, h)
		var items []chain.SweepItem
		for range solana.SweepBatch + 1 {
			items = append(items, s.deposit(t, s.assets[0], 7))
		}
		s.Mine(1)
		s.Finalize()
		s.refuses(t, chain.ErrNoGas, items[:1])
		s.fill(s.rent(0) + 10_000)
		s.refuses(t, chain.ErrNoGas, items[:1])
		s.fill(gasFunds)
		s.refuses(t, chain.ErrTooLarge, items)
		empty := items[0]
		empty.Asset = s.assets[1]
		s.refuses(t, chain.ErrTooLarge, []chain.SweepItem{empty})
		tokenAccount := items[0]
		tokenAccount.Settlement = chain.Address(ata(s.rich.PublicKey(), s.mints[s.assets[0].Contract]).String())
		s.refuses(t, chain.ErrTooLarge, []chain.SweepItem{tokenAccount})
		other := items[0]
		other.PaymentID = items[1].PaymentID
		if _, err := s.sender.Sign(t.Context(), []chain.SweepItem{other}, nil, time.Now()); err == nil {
			t.Error("an address of another payment was signed for")
		}
		s.carryOut(t, items[:solana.SweepBatch], s.mustSign(t, items[:solana.SweepBatch]))
		if got := s.holds(t, s.settlement, s.assets[0]); got != 7*solana.SweepBatch {
			t.Errorf("the settlement wallet holds %d, want %d", got, 7*solana.SweepBatch)
		}
	})
}

func (s *till) refuses(t *testing.T, want error, items []chain.SweepItem) {
	t.Helper()
	if _, err := s.sender.Sign(t.Context(), items, nil, time.Now()); !errors.Is(err, want) {
		t.Errorf("signing: %v, want %v", err, want)
	}
}

// TestSender_Frozen: an account that its issuer has frozen is left out and does not block the others.
func TestSender_Frozen(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		s := newTill(t, h)
		s.fill(gasFunds)
		items := []chain.SweepItem{s.deposit(t, s.assets[0], 1), s.deposit(t, s.assets[0], 2)}
		s.Mine(1)
		mint := s.mints[s.assets[0].Contract]
		s.mustSend(
			[]solanago.Instruction{
				freeze(ata(solanago.PublicKey(items[0].Address.Raw), mint), mint, s.rich.PublicKey()),
			},
		)
		s.Mine(1)
		seen := s.carryOut(t, items, s.mustSign(t, items))
		wantMoved(t, seen, items[1:], 2)
		if len(seen.Unmoved) != 1 || seen.Unmoved[0].Address != items[0].Address.Address ||
			seen.Unmoved[0].Reason == "" {
			t.Errorf("left behind is %+v", seen.Unmoved)
		}
		s.refuses(t, chain.ErrTooLarge, items[:1])
	})
}

// TestSender_Reverted: a transaction that fails as a whole is reported with its cost, and the money stays.
func TestSender_Reverted(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		s := newTill(t, h)
		s.fill(gasFunds)
		items := []chain.SweepItem{s.deposit(t, s.assets[0], 4)}
		s.Mine(1)
		a := s.mustSign(t, items)
		mint := s.mints[s.assets[0].Contract]
		s.mustSend(
			[]solanago.Instruction{
				freeze(ata(solanago.PublicKey(items[0].Address.Raw), mint), mint, s.rich.PublicKey()),
			},
		)
		s.Mine(1)
		if err := s.sender.Broadcast(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		s.Mine(1)
		s.Finalize()
		if seen := s.track(t, chain.TxReverted, items, a); seen.Paid.IsZero() || seen.Note == "" {
			t.Errorf("seen as %+v", seen)
		}
		if got := s.holds(t, solanago.PublicKey(items[0].Address.Raw), s.assets[0]); got != 4 {
			t.Errorf("%d are left, want 4", got)
		}
	})
}

// TestSender_Expired: an attempt that was never included is dropped when the finalized height is past its
// blockhash, and not before; until then no other is signed.
func TestSender_Expired(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	s := newTill(t, h.harness)
	s.fill(gasFunds)
	items := []chain.SweepItem{s.deposit(t, s.assets[0], 4)}
	s.Mine(1)
	a := s.mustSign(t, items)
	s.Mine(150)
	s.track(t, chain.TxUnknown, items, a)
	if _, err := s.sender.Sign(t.Context(), items, []chain.Attempt{a}, time.Now()); err == nil {
		t.Error("another attempt was signed while the first was still valid")
	}
	s.Mine(1)
	s.track(t, chain.TxUnknown, items, a) // past it, but that is not final
	s.Finalize()
	s.track(t, chain.TxDropped, items, a)
	if err := s.sender.Broadcast(t.Context(), a); err != nil {
		t.Errorf("sending a dropped attempt: %v", err)
	}
	s.Mine(1)
	s.track(t, chain.TxDropped, items, a)
	b := s.mustSign(t, items, a)
	if b.Tx == a.Tx || b.Until <= a.Until {
		t.Errorf("the second attempt is %+v after %+v", b, a)
	}
	if err := s.sender.Broadcast(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	s.Mine(1)
	s.Finalize()
	wantMoved(t, s.track(t, chain.TxFinal, items, a, b), items, 4)
}

// TestSender_Forked: a sweep that a fork removes is unknown again, and the same bytes are included once more.
func TestSender_Forked(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	s := newTill(t, h.harness)
	s.fill(gasFunds)
	items := []chain.SweepItem{s.deposit(t, s.assets[0], 4)}
	s.Mine(1)
	s.Finalize()
	a := s.mustSign(t, items)
	if err := s.sender.Broadcast(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	s.track(t, chain.TxPending, items, a)
	s.Mine(1)
	s.track(t, chain.TxIncluded, items, a)
	h.Reorg(1, false)
	s.track(t, chain.TxUnknown, items, a)
	wantMoved(t, s.carryOut(t, items, a), items, 4)
}
