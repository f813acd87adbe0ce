package solana_test

import (
	"bytes"
	"encoding/json"
	"sync"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/sandbox/devsol"
)

// deepLedger is a ledger whose slots become final late.
func deepLedger(t *testing.T, depth uint64) *ledgerHarness {
	t.Helper()
	l := startLedger(t, devsol.Config{FinalDepth: depth})
	b := newBank(t, l, l.Faucet(), func(size int) uint64 { return uint64(size+128) * devsol.DefaultLamportsPerByte })
	l.Seal(1)
	return &ledgerHarness{newHarness(t, b, l.URL()), l}
}

// TestScan_ForkMargin: a fork puts a payment into a slot before those that the account was read up to.
func TestScan_ForkMargin(t *testing.T) {
	t.Parallel()
	h := deepLedger(t, 60)
	to := h.Address()
	h.Mine(150)
	h.reader = h.withGas(t, h.URL())
	from := mustHeads(t, h.reader).Latest.Number
	wantUnits(t, h.scannedFrom(t, from, to))
	h.Mine(40)
	wantUnits(t, h.scannedFrom(t, from, to))
	read := mustHeads(t, h.reader).Latest.Number
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
	h.Reorg(30, true) // the payment is first of the new slots
	got := h.scannedFrom(t, from, to)
	wantUnits(t, got, 5)
	if got[0].Block.Number >= read {
		t.Fatalf("the payment is in slot %d, not before %d", got[0].Block.Number, read)
	}
}

// TestScan_ReadBeforeFinal: a fork puts a payment into slots that were read as confirmed. They are read again when they
// are final.
func TestScan_ReadBeforeFinal(t *testing.T) {
	t.Parallel()
	h := deepLedger(t, 60)
	to := h.Address()
	h.Mine(150)
	h.reader = h.withGas(t, h.URL())
	from := mustHeads(t, h.reader).Latest.Number
	h.Mine(40)
	wantUnits(t, h.scannedFrom(t, from, to))
	read := mustHeads(t, h.reader).Latest.Number
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
	h.Reorg(30, true)
	h.Mine(45)
	final := mustHeads(t, h.reader).Final
	got, _, err := h.reader.Scan(t.Context(), from, final, watching(to))
	if err != nil || final.Number >= read {
		t.Fatalf("slots up to %d, of which %d were read before: %v", final.Number, read, err)
	}
	wantUnits(t, got, 5)
}

func (h *harness) scannedFrom(t *testing.T, from uint64, owners ...chain.Watched) []chain.Transfer {
	t.Helper()
	got, _, err := h.reader.Scan(t.Context(), from, mustHeads(t, h.reader).Latest, watching(owners...))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestScan_CoverageForgotten: after a fork removed a transaction, the history that was known is read again for a
// range that begins before the fork.
func TestScan_CoverageForgotten(t *testing.T) {
	t.Parallel()
	h := deepLedger(t, 500)
	to := h.Address()
	begin := mustHeads(t, h.reader).Latest.Number
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
	h.Mine(290)
	wantUnits(t, h.scannedFrom(t, begin, to), 5)
	h.Reorg(290, false) // without the payment
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
	h.Reorg(289, true) // with another one of the same amount
	read := mustHeads(t, h.reader).Latest.Number
	wantUnits(t, h.scannedFrom(t, read-5, to))
	wantUnits(t, h.scannedFrom(t, begin, to), 5)
}

// TestScan_NeverOlder: a scan of an earlier range does not let a node answer with an older state than one that was
// read before.
func TestScan_NeverOlder(t *testing.T) {
	t.Parallel()
	h, first, _ := twoNodes(t)
	to := h.Address()
	h.reader = h.withGas(t, first.url())
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
	h.Mine(200)
	early := mustHeads(t, h.reader).Latest
	h.Mine(200)
	late := mustHeads(t, h.reader).Latest
	var mu sync.Mutex
	var slots []uint64
	first.set("getMultipleAccounts", func(params, result json.RawMessage) json.RawMessage {
		var asked []struct{ MinContextSlot uint64 }
		_ = json.Unmarshal(params, &asked) // the keys that come first are no options
		mu.Lock()
		defer mu.Unlock()
		slots = append(slots, asked[1].MinContextSlot)
		return result
	})
	if _, _, err := h.reader.Scan(t.Context(), late.Number, late, watching(to)); err != nil {
		t.Fatal(err)
	}
	got, _, err := h.reader.Scan(t.Context(), 0, early, watching(to))
	if err != nil {
		t.Fatal(err)
	}
	wantUnits(t, got, 5)
	mu.Lock()
	defer mu.Unlock()
	if len(slots) != 2 || slots[1] < late.Number {
		t.Errorf("the accounts were read as of slots %d, and the second must be at least %d", slots, late.Number)
	}
}

// TestScan_ReadAgainWhenFinal: what a transaction did is read again when it is final. A fork may have put it into the
// same slot with another effect.
func TestScan_ReadAgainWhenFinal(t *testing.T) {
	t.Parallel()
	h := deepLedger(t, 60)
	n := newNode(t, h.URL())
	h.reader = h.withGas(t, n.url())
	to := h.Address()
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 2_000})
	h.Mine(1)
	wantUnits(t, h.scannedFrom(t, 0, to), 2_000)
	n.set("getTransaction", func(_, result json.RawMessage) json.RawMessage {
		return bytes.ReplaceAll(result, []byte(`"amount":"2000"`), []byte(`"amount":"4000"`)) // by then
	})
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5_000})
	h.Mine(1)
	wantUnits(t, h.scannedFrom(t, 0, to), 4_000, 3_000)
	n.set("getTransaction", nil)
	h.Mine(70)
	wantUnits(t, h.scannedFrom(t, 0, to), 2_000, 5_000)
}

// TestScan_ReadAgainInAnotherBlock: what a transaction did is read again when another block holds it, though that has
// the same slot: it is reported in the block whose effect it had.
func TestScan_ReadAgainInAnotherBlock(t *testing.T) {
	t.Parallel()
	h := deepLedger(t, 60)
	n := newNode(t, h.URL())
	h.reader = h.withGas(t, n.url())
	to := h.Address()
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 2_000})
	h.Mine(1)
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5_000})
	h.Mine(1)
	wantUnits(t, h.scannedFrom(t, 0, to), 2_000, 5_000)
	n.set("getTransaction", func(_, result json.RawMessage) json.RawMessage {
		if !bytes.Contains(result, []byte(`"amount":"7000"`)) {
			return result
		}
		return bytes.ReplaceAll(result, []byte(`"amount":"2000"`), []byte(`"amount":"4000"`)) // before the second payment
	})
	h.Reorg(1, true)
	h.Mine(1)
	wantUnits(t, h.scannedFrom(t, 0, to), 2_000, 3_000)
}
