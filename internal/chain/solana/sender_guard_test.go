package solana_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// byOwner executes instructions that the owner of a deposit signs, as anyone with the seed could.
func (s *till) byOwner(t *testing.T, item chain.SweepItem, list ...solanago.Instruction) {
	t.Helper()
	id, err := chain.ParseTxnID(item.PaymentID)
	if err != nil {
		t.Fatal(err)
	}
	owner := s.seed.Deposit(id)
	tx, err := solanago.NewTransaction(list, s.Blockhash(), solanago.TransactionPayer(s.rich.PublicKey()))
	if err != nil {
		t.Fatal(err)
	}
	message, err := tx.Message.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	paid, err := s.rich.Sign(message)
	if err != nil {
		t.Fatal(err)
	}
	tx.Signatures = []solanago.Signature{paid, owner.Sign(message)}
	raw, err := tx.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	s.Send(raw)
	s.Mine(1)
}

// ready is a till with funds and a final deposit.
func ready(t *testing.T) (*till, []chain.SweepItem) {
	t.Helper()
	s := newTill(t, newLedger(t).harness)
	s.fill(gasFunds)
	items := []chain.SweepItem{s.deposit(t, s.assets[0], 4)}
	s.Mine(1)
	s.Finalize()
	return s, items
}

// TestSender_NotOursAnyMore: an account that has another owner now, or exists and is empty, is left out and
// does not block the sweep.
func TestSender_NotOursAnyMore(t *testing.T) {
	t.Parallel()
	s, items := ready(t)
	given, empty := s.deposit(t, s.assets[0], 5), s.deposit(t, s.assets[1], 6)
	empty.Asset = s.assets[0]
	mint := s.mints[s.assets[0].Contract]
	s.mustSend([]solanago.Instruction{createATA(s.rich.PublicKey(), solanago.PublicKey(empty.Address.Raw), mint)})
	s.Mine(1)
	account := ata(solanago.PublicKey(given.Address.Raw), mint)
	s.byOwner(t, given, setOwner(account, solanago.PublicKey(given.Address.Raw), newKey(t).PublicKey()))
	s.Finalize()
	s.refuses(t, chain.ErrTooLarge, []chain.SweepItem{given})
	s.refuses(t, chain.ErrTooLarge, []chain.SweepItem{empty})
	items = append(items, given, empty)
	wantMoved(t, s.carryOut(t, items, s.mustSign(t, items)), items[:1], 4)
	if !s.exists(t, account) || !s.exists(t, ata(solanago.PublicKey(empty.Address.Raw), mint)) {
		t.Error("an account was closed although nothing was moved from it")
	}
}

// TestSender_DroppedBySingleEndpoint: an endpoint that has lost its index does not decide alone that a sweep
// is dropped: if there are others, at least one of them must agree.
func TestSender_DroppedBySingleEndpoint(t *testing.T) {
	t.Parallel()
	s, items := ready(t)
	lost, other := newNode(t, s.URL()), newNode(t, s.URL())
	lost.set("getSignatureStatuses", always(`{"context":{"slot":1000000000},"value":[null]}`))
	sender := func(urls ...string) *solana.Sender {
		reader, err := solana.New(solana.Config{Profile: s.profile(), Endpoints: urls, Rate: unhurried})
		if err != nil {
			t.Fatal(err)
		}
		return solana.NewSender(reader, solana.SenderConfig{Gas: s.gas, Seed: s.seed})
	}
	a := s.mustSign(t, items)
	if err := s.sender.Broadcast(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	s.Mine(152)
	s.Finalize()
	track := func(by *solana.Sender, want chain.TxStatus) {
		t.Helper()
		seen, err := by.Track(t.Context(), items, []chain.Attempt{a})
		if err != nil || seen.Status != want {
			t.Errorf("seen as %+v, %v; want %s", seen, err, want)
		}
	}
	track(sender(lost.url()), chain.TxDropped) // it is the only endpoint
	track(sender(lost.url(), other.url()), chain.TxFinal)
	other.refuse(http.StatusServiceUnavailable)
	both := sender(lost.url(), other.url())
	for range 3 { // it fails, and then cools down
		track(both, chain.TxUnknown)
	}
	if _, err := both.Sign(t.Context(), items, []chain.Attempt{a}, time.Now()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("another attempt: %v, want Unavailable", err)
	}
	other.refuse(0)
	other.set("getSignatureStatuses", always(`{"context":{"slot":1000000000},"value":[null]}`))
	track(sender(lost.url(), other.url()), chain.TxDropped)
}

// TestSender_LastHeight: an attempt can be included up to and including its last height; of several attempts
// the latest last height counts.
func TestSender_LastHeight(t *testing.T) {
	t.Parallel()
	s, items := ready(t)
	a := s.mustSign(t, items)
	s.Mine(3)
	b := s.mustSign(t, items)
	if b.Until <= a.Until {
		t.Fatalf("attempts are valid until %d and %d", a.Until, b.Until)
	}
	final := func() (height uint64) {
		call(t, s.URL(), &height, "getBlockHeight", map[string]any{"commitment": "finalized"})
		return height
	}
	for final() < a.Until {
		s.Mine(1)
	}
	s.track(t, chain.TxUnknown, items, a)
	s.Mine(1)
	s.track(t, chain.TxDropped, items, a)
	s.track(t, chain.TxUnknown, items, a, b)
	s.track(t, chain.TxUnknown, items, b, a)
	for final() <= b.Until {
		s.Mine(1)
	}
	s.track(t, chain.TxDropped, items, a, b)
}

// TestSender_Answers: impossible answers to the calls of signing are refused, possible ones are used.
func TestSender_Answers(t *testing.T) {
	t.Parallel()
	s, items := ready(t)
	n := s.through(t, solana.SenderConfig{})
	behind := func(_, result json.RawMessage) json.RawMessage {
		var fields map[string]any
		if err := json.Unmarshal(result, &fields); err != nil {
			t.Error(err)
		}
		fields["context"] = map[string]any{"slot": 1}
		out, _ := json.Marshal(fields)
		return out
	}
	hash := s.Blockhash().String()
	for name, c := range map[string]struct {
		method string
		answer func(params, result json.RawMessage) json.RawMessage
		want   error
	}{
		"Behind":        {"getMultipleAccounts", behind, chain.ErrNoEndpoint},
		"NoLastHeight":  {"getLatestBlockhash", always(`{"context":{"slot":1},"value":{"blockhash":"` + hash + `","lastValidBlockHeight":0}}`), chain.ErrNoEndpoint},
		"NoHash":        {"getLatestBlockhash", always(`{"context":{"slot":1},"value":{"blockhash":"11111111111111111111111111111111","lastValidBlockHeight":9}}`), chain.ErrNoEndpoint},
		"NoFee":         {"getFeeForMessage", always(`{"context":{"slot":1},"value":null}`), chain.ErrNoEndpoint},
		"WouldFail":     {"simulateTransaction", always(`{"context":{"slot":1},"value":{"err":{"InstructionError":[1,{"Custom":1}]},"unitsConsumed":9}}`), chain.ErrTooLarge},
		"TooExpensive":  {"getFeeForMessage", always(fmt.Sprintf(`{"context":{"slot":1},"value":%d}`, 10*gasFunds)), chain.ErrNoGas},
		"NothingIsLeft": {"getFeeForMessage", always(fmt.Sprintf(`{"context":{"slot":1},"value":%d}`, gasFunds-s.rent(165)-s.rent(0)+1)), chain.ErrNoGas},
	} {
		t.Run(name, func(t *testing.T) {
			n.set(c.method, c.answer)
			if a, err := s.sender.Sign(t.Context(), items, nil, time.Now()); !errors.Is(err, c.want) {
				t.Errorf("signed %+v, %v; want %v", a, err, c.want)
			}
			n.set(c.method, nil)
		})
		n = s.through(t, solana.SenderConfig{}) // the failed endpoint is cooling down
	}
	n.set("getFeeForMessage", always(fmt.Sprintf(`{"context":{"slot":1},"value":%d}`, gasFunds-s.rent(165)-s.rent(0))))
	for used, want := range map[uint64]uint64{1_000: 11_000, 100_000: 120_000, 1_300_000: 1_400_000} {
		n.set("simulateTransaction", always(fmt.Sprintf(`{"context":{"slot":1},"value":{"err":null,"unitsConsumed":%d}}`, used)))
		a, err := s.sender.Sign(t.Context(), items, nil, time.Now())
		if err != nil || a.Fee.Gas != want || a.Fee.Ceiling.Cmp(money.UnitsFromUint64(gasFunds-s.rent(0))) != 0 {
			t.Errorf("after a simulation of %d units, %d are requested for at most %s lamports, %v; want %d", used, a.Fee.Gas, a.Fee.Ceiling, err, want)
		}
	}
}

// TestSender_Broadcasts: every endpoint is sent the bytes; one that accepts them is enough, and one that
// answers with another signature has not.
func TestSender_Broadcasts(t *testing.T) {
	t.Parallel()
	s, items := ready(t)
	a := s.mustSign(t, items)
	one, two := newNode(t, s.URL()), newNode(t, s.URL())
	reader, err := solana.New(
		solana.Config{Profile: s.profile(), Endpoints: []string{one.url(), two.url()}, Rate: unhurried},
	)
	if err != nil {
		t.Fatal(err)
	}
	sender := solana.NewSender(reader, solana.SenderConfig{Gas: s.gas, Seed: s.seed})
	if err := sender.Broadcast(t.Context(), a); err != nil || one.count("sendTransaction") != 1 ||
		two.count("sendTransaction") != 1 {
		t.Errorf("sent to %d and %d, %v", one.count("sendTransaction"), two.count("sendTransaction"), err)
	}
	other := always(`"` + strings.Repeat("1", 64) + `"`)
	one.set("sendTransaction", other)
	if err := sender.Broadcast(t.Context(), a); err != nil {
		t.Errorf("one of two accepted it: %v", err)
	}
	single := newNode(t, s.URL())
	single.set("sendTransaction", other)
	s.reader = s.coldReader(t, single.url())
	if err := solana.NewSender(
		s.reader, solana.SenderConfig{Gas: s.gas, Seed: s.seed},
	).Broadcast(t.Context(), a); err == nil {
		t.Error("an answer with another signature counts as accepted")
	}
}
