package solana_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// notDropped fails if the sweep counts as dropped.
func (s *till) notDropped(t *testing.T, items []chain.SweepItem, a chain.Attempt) {
	t.Helper()
	seen, err := s.sender.Track(t.Context(), items, []chain.Attempt{a})
	if seen.Status == chain.TxDropped || err != nil && !fault.Is(err, fault.Unavailable) {
		t.Errorf("seen as %+v, %v", seen, err)
	}
	if _, err := s.sender.Sign(t.Context(), items, []chain.Attempt{a}, time.Now()); err == nil {
		t.Error("another attempt was signed")
	}
}

// TestSender_LoadBalanced: behind one address, one node is far ahead, one is behind and one has the signatures
// of a moment before the sweep was included. No mixture of their answers makes a live sweep count as dropped.
func TestSender_LoadBalanced(t *testing.T) {
	t.Parallel()
	s, items := ready(t)
	n := s.through(t, solana.SenderConfig{})
	a := s.mustSign(t, items)
	was := func(method string) json.RawMessage {
		var answer json.RawMessage
		call(t, s.URL(), &answer, method, map[string]any{"commitment": "finalized"})
		return answer
	}
	behindSlot, behindEpoch := was("getSlot"), was("getEpochInfo")
	null := fmt.Sprintf(`{"context":{"slot":%d},"value":[null]}`, s.slot(t))
	if err := s.sender.Broadcast(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	s.Mine(1)
	const far = 10_000
	ahead := fmt.Sprintf(`{"absoluteSlot":%d,"blockHeight":%d}`, far, far)
	n.set("getBlockHeight", always(strconv.Itoa(far)))
	n.set("getSignatureStatuses", always(null))
	for name, c := range map[string]struct{ slot, epoch string }{
		"SlotBehind":  {string(behindSlot), ahead},
		"EpochBehind": {strconv.Itoa(far), string(behindEpoch)},
		"BothAhead":   {strconv.Itoa(far), ahead},
		"BothBehind":  {string(behindSlot), string(behindEpoch)},
	} {
		t.Run(name, func(t *testing.T) {
			n.set("getSlot", always(c.slot))
			n.set("getEpochInfo", always(c.epoch))
			s.notDropped(t, items, a)
		})
	}
	for _, method := range []string{"getSlot", "getBlockHeight", "getEpochInfo", "getSignatureStatuses"} {
		n.set(method, nil)
	}
	s.Finalize()
	s.track(t, chain.TxFinal, items, a)
}

// slot is the newest confirmed slot.
func (s *till) slot(t *testing.T) (slot uint64) {
	t.Helper()
	call(t, s.URL(), &slot, "getSlot", map[string]any{"commitment": "confirmed"})
	return slot
}

// TestSender_SecondRead: one answer without the signature does not decide, even from a node that claims to be
// far ahead.
func TestSender_SecondRead(t *testing.T) {
	t.Parallel()
	s, items := ready(t)
	n := s.through(t, solana.SenderConfig{})
	a := s.mustSign(t, items)
	if err := s.sender.Broadcast(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	s.Mine(151)
	s.Finalize()
	reads := 0
	n.set("getSignatureStatuses", func(_, result json.RawMessage) json.RawMessage {
		if reads++; reads == 1 {
			return json.RawMessage(`{"context":{"slot":1000000000},"value":[null]}`)
		}
		return result
	})
	s.track(t, chain.TxFinal, items, a)
}

// TestSender_DeadMargin: the node that does not know the signature must be some slots past the end of its
// validity.
func TestSender_DeadMargin(t *testing.T) {
	t.Parallel()
	s, items := ready(t)
	n := s.through(t, solana.SenderConfig{})
	a := s.mustSign(t, items)
	epoch := func(slot, height uint64) {
		n.set("getEpochInfo", always(fmt.Sprintf(`{"absoluteSlot":%d,"blockHeight":%d}`, slot, height)))
	}
	status := func(slot uint64) {
		n.set("getSignatureStatuses", always(fmt.Sprintf(`{"context":{"slot":%d},"value":[null]}`, slot)))
	}
	const slot = 1_000_000
	epoch(slot, a.Until+1)
	status(slot + 15)
	s.track(t, chain.TxUnknown, items, a)
	status(slot + 16)
	s.track(t, chain.TxDropped, items, a)
	epoch(slot, a.Until+17) // the end of validity was at least 16 slots before
	status(slot)
	s.track(t, chain.TxDropped, items, a)
	epoch(slot, a.Until+16)
	s.track(t, chain.TxUnknown, items, a)
	epoch(slot, a.Until)
	status(slot + 1_000)
	s.track(t, chain.TxUnknown, items, a)
	for _, answer := range []string{`{}`, `{"absoluteSlot":5}`, `{"blockHeight":5}`, `{"absoluteSlot":5,"blockHeight":6}`} {
		n.set("getEpochInfo", always(answer))
		if seen, err := s.sender.Track(t.Context(), items, []chain.Attempt{a}); err == nil {
			t.Errorf("with the answer %s: %+v", answer, seen)
		}
		n = s.through(t, solana.SenderConfig{}) // the failed endpoint is cooling down
		status(slot + 1_000)
	}
}

// TestSender_Bids: where nothing was paid for priority lately, an attempt bids a floor all the same, and each
// further one more, up to the operator's limit.
func TestSender_Bids(t *testing.T) {
	t.Parallel()
	s, items := ready(t)
	n := s.through(t, solana.SenderConfig{MaxPrice: 50_000})
	n.set("getSignatureStatuses", func(params, _ json.RawMessage) json.RawMessage {
		var signatures [][]string
		_ = json.Unmarshal(params, &signatures) // the options that follow are no list
		value, _ := json.Marshal(make([]*int, len(signatures[0])))
		return json.RawMessage(`{"context":{"slot":1000000000},"value":` + string(value) + `}`)
	})
	n.set("getEpochInfo", always(`{"absoluteSlot":1000000,"blockHeight":1000000}`))
	var attempts []chain.Attempt
	want := []uint64{10_000, 20_000, 40_000, 50_000, 50_000}
	for i, price := range want {
		a := s.mustSign(t, items, attempts...)
		if a.Fee.Price.Cmp(money.UnitsFromUint64(price)) != 0 {
			t.Errorf("attempt %d bids %s micro-lamports a unit, want %d", i+1, a.Fee.Price, price)
		}
		attempts = append(attempts, a)
	}
	n.set("getRecentPrioritizationFees", always(`[{"slot":1,"prioritizationFee":30000}]`))
	if a := s.mustSign(t, items); a.Fee.Price.Cmp(money.UnitsFromUint64(30_000)) != 0 {
		t.Errorf("the first attempt bids %s, want the recent 30000", a.Fee.Price)
	}
	if a := s.mustSign(t, items, attempts[0]); a.Fee.Price.Cmp(money.UnitsFromUint64(50_000)) != 0 {
		t.Errorf("the second attempt bids %s, want the limit", a.Fee.Price)
	}
	low := s.through(t, solana.SenderConfig{MaxPrice: 300})
	if a := s.mustSign(t, items); a.Fee.Price.Cmp(money.UnitsFromUint64(300)) != 0 {
		t.Errorf("with a limit below the floor it bids %s, want the limit", a.Fee.Price)
	}
	low.set("getRecentPrioritizationFees", always(`[{"slot":1,"prioritizationFee":301}]`))
	s.refuses(t, chain.ErrTooExpensive, items)
}
