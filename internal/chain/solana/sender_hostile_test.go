package solana_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"

	"github.com/florinpay/florin/internal/wallet"
)

// through puts a faulty node before the till's ledger and sweeps through it.
func (s *till) through(t *testing.T, c solana.SenderConfig) *node {
	t.Helper()
	n := newNode(t, s.URL())
	s.reader = s.coldReader(t, n.url())
	c.Gas, c.Seed = s.gas, s.seed
	s.sender = solana.NewSender(s.reader, c)
	return n
}

// TestSender_StaleStatuses: of two nodes behind one address, the one with the height is far ahead of the one
// with the signatures. A sweep is not dropped because a node is behind.
func TestSender_StaleStatuses(t *testing.T) {
	t.Parallel()
	s := newTill(t, newLedger(t).harness)
	s.fill(gasFunds)
	items := []chain.SweepItem{s.deposit(t, s.assets[0], 4)}
	s.Mine(1)
	n := s.through(t, solana.SenderConfig{})
	a := s.mustSign(t, items)
	if err := s.sender.Broadcast(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	s.Mine(151)
	s.Finalize()
	n.set("getSignatureStatuses", always(`{"context":{"slot":1},"value":[null]}`))
	if seen, err := s.sender.Track(t.Context(), items, []chain.Attempt{a}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("through a node that is behind: %+v, %v", seen, err)
	}
	n.set("getSignatureStatuses", nil)
	s.track(t, chain.TxFinal, items, a)
}

// TestSender_Reconfigured: a sent sweep is tracked even after the seed and the mints of the configuration
// changed; nothing new is signed.
func TestSender_Reconfigured(t *testing.T) {
	t.Parallel()
	s := newTill(t, newLedger(t).harness)
	s.fill(gasFunds)
	items := []chain.SweepItem{s.deposit(t, s.assets[1], 4)}
	s.Mine(1)
	a := s.mustSign(t, items)
	other, _, err := wallet.GenerateSeed()
	if err != nil {
		t.Fatal(err)
	}
	p := s.profile()
	p.Assets = p.Assets[:1]
	reader, err := solana.New(solana.Config{Profile: p, Endpoints: []string{s.URL()}, Rate: unhurried})
	if err != nil {
		t.Fatal(err)
	}
	s.carryOut(t, items, a)
	s.sender = solana.NewSender(reader, solana.SenderConfig{Gas: s.gas, Seed: other})
	wantMoved(t, s.track(t, chain.TxFinal, items, a), items, 4)
	if _, err := s.sender.Sign(t.Context(), items, nil, time.Now()); err == nil {
		t.Error("another seed signed")
	}
}

// TestSender_Price: sweeps pay the priority fee that the node reports, and wait while it exceeds the
// operator's limit.
func TestSender_Price(t *testing.T) {
	t.Parallel()
	s := newTill(t, newLedger(t).harness)
	s.fill(gasFunds)
	items := []chain.SweepItem{s.deposit(t, s.assets[0], 4)}
	s.Mine(1)
	for most, want := range map[uint64]error{
		0: chain.ErrTooExpensive, 2_999_999: chain.ErrTooExpensive, 3_000_000: nil,
	} {
		n := s.through(t, solana.SenderConfig{MaxPrice: most})
		n.set("getRecentPrioritizationFees", always(`[{"slot":1,"prioritizationFee":3000000},{"slot":2,"prioritizationFee":3000000}]`))
		a, err := s.sender.Sign(t.Context(), items, nil, time.Now())
		if !errors.Is(err, want) {
			t.Errorf("with at most %d micro-lamports a unit: %v, want %v", most, err, want)
		}
		if err == nil && a.Fee.Price.Cmp(money.UnitsFromUint64(3_000_000)) != 0 {
			t.Errorf("a unit of compute costs %s", a.Fee.Price)
		}
	}
}

// TestSender_UnknownHash: a simulation by a node that does not have the blockhash yet proves nothing about the
// sweep.
func TestSender_UnknownHash(t *testing.T) {
	t.Parallel()
	s := newTill(t, newLedger(t).harness)
	s.fill(gasFunds)
	items := []chain.SweepItem{s.deposit(t, s.assets[0], 4)}
	s.Mine(1)
	n := s.through(t, solana.SenderConfig{})
	n.set("simulateTransaction", always(`{"context":{"slot":1},"value":{"err":"BlockhashNotFound","unitsConsumed":0}}`))
	if _, err := s.sender.Sign(t.Context(), items, nil, time.Now()); !fault.Is(err, fault.Unavailable) ||
		errors.Is(err, chain.ErrTooLarge) {
		t.Errorf("signing: %v, want Unavailable", err)
	}
}

// TestSender_Drained: if the gas wallet is emptied after signing, the attempt is never included, and the next
// one waits for coins.
func TestSender_Drained(t *testing.T) {
	t.Parallel()
	s := newTill(t, newLedger(t).harness)
	s.fill(gasFunds)
	items := []chain.SweepItem{s.deposit(t, s.assets[0], 4)}
	s.Mine(1)
	a := s.mustSign(t, items)
	s.mustSend([]solanago.Instruction{transferSOL(s.gas.PublicKey(), s.rich.PublicKey(), gasFunds)}, s.gasKey)
	s.Mine(1)
	for range 2 {
		if err := s.sender.Broadcast(t.Context(), a); err == nil {
			s.Mine(1)
		}
		if got := s.holds(t, solanago.PublicKey(items[0].Address.Raw), s.assets[0]); got != 4 {
			t.Fatalf("%d are left, want 4", got)
		}
	}
	s.Mine(151)
	s.Finalize()
	s.track(t, chain.TxDropped, items, a)
	if _, err := s.sender.Sign(t.Context(), items, []chain.Attempt{a}, time.Now()); !errors.Is(err, chain.ErrNoGas) {
		t.Errorf("signing: %v, want ErrNoGas", err)
	}
	s.fill(gasFunds)
	wantMoved(t, s.carryOut(t, items, s.mustSign(t, items, a)), items, 4)
}

// TestSender_Rescue: a rescue moves the whole balance, although it is not recorded: another mint, and SOL.
func TestSender_Rescue(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		s := newTill(t, h)
		s.fill(gasFunds)
		stray := s.deposit(t, s.assets[3], 9)
		stray.Expected, stray.Rescue = money.Units{}, true
		coin := stray
		coin.Asset = h.profile().CoinAsset()
		const lamports = 7_000_000
		s.mustSend(
			[]solanago.Instruction{transferSOL(s.rich.PublicKey(), solanago.PublicKey(coin.Address.Raw), lamports)},
		)
		s.Mine(1)
		s.Finalize()
		asset, held, err := s.reader.Token(t.Context(), s.assets[3].Contract, stray.Address.Address)
		if err != nil || asset.Decimals != 6 || held.Cmp(money.UnitsFromUint64(9)) != 0 {
			t.Errorf("of another mint there is %s of %+v, %v", held, asset, err)
		}
		heads, err := s.reader.Heads(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		coins, err := s.reader.Coins(
			t.Context(), []chain.Address{stray.Address.Address, s.Address().Address}, heads.Latest,
		)
		if err != nil || coins[0].Cmp(money.UnitsFromUint64(lamports)) != 0 || !coins[1].IsZero() {
			t.Errorf("of SOL there is %v, %v", coins, err)
		}
		s.refuses(t, chain.ErrTooLarge, []chain.SweepItem{unrequested(stray)})
		items := []chain.SweepItem{stray, coin}
		a := s.mustSign(t, items)
		seen := s.carryOut(t, items, a)
		wantMoved(t, seen, items, 9, lamports)
		s.wantPaid(t, seen, a, s.rent(165)+2*5_000) // without the moved SOL
		if !s.exists(t, ata(s.settlement, s.mints[s.assets[3].Contract])) {
			t.Error("the settlement wallet has no account of the other mint")
		}
		if got := s.lamports(t, s.settlement); got != lamports {
			t.Errorf("the settlement wallet holds %d lamports", got)
		}
		s.refuses(t, chain.ErrTooLarge, items)
	})
}

// unrequested is an item that is not a rescue.
func unrequested(i chain.SweepItem) chain.SweepItem {
	i.Rescue = false
	return i
}

func (s *till) lamports(t *testing.T, of solanago.PublicKey) uint64 {
	t.Helper()
	var answer struct {
		Value uint64 `json:"value"`
	}
	call(t, s.URL(), &answer, "getBalance", of.String(), map[string]any{"commitment": "confirmed"})
	return answer.Value
}

// TestScan_VersionOne: nodes return transactions of version 1 only if that version is requested, and in the
// same form as others.
func TestScan_VersionOne(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	n := newNode(t, h.URL())
	modern := func(params, result json.RawMessage) json.RawMessage {
		if !strings.Contains(string(params), `"maxSupportedTransactionVersion":1`) {
			return json.RawMessage(`null`)
		}
		var fields map[string]json.RawMessage
		if json.Unmarshal(result, &fields) != nil || fields["version"] == nil {
			return result
		}
		fields["version"] = json.RawMessage(`1`)
		var meta map[string]json.RawMessage
		if err := json.Unmarshal(fields["meta"], &meta); err != nil {
			t.Error(err)
		}
		delete(meta, "loadedAddresses") // version 1 has no lookup tables
		fields["meta"], _ = json.Marshal(meta)
		result, _ = json.Marshal(fields)
		return result
	}
	n.set("getTransaction", modern)
	n.set("getBlock", modern)
	r := newHarness(t, h.bank, n.url()).reader
	to := h.Address()
	tx := h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
	h.Mine(1)
	got := scanWith(t, r, to)
	wantUnits(t, got, 5)
	heads, err := r.Heads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if verdict, err := chain.JudgeAll(t.Context(), r, got, heads.Latest); err != nil || verdict != chain.Stands {
		t.Errorf("confirmed: %d, %v", verdict, err)
	}
	if found, err := r.Find(t.Context(), tx); err != nil || !found.Exists || len(found.Transfers) == 0 {
		t.Errorf("found: %+v, %v", found, err)
	}
}
