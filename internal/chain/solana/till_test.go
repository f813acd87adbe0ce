package solana_test

import (
	"testing"
	"time"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/wallet"
)

// till is a harness with a seed, a gas wallet and a settlement wallet that is off the curve, like the vault
// of a multisig.
type till struct {
	*harness
	seed       *wallet.Seed
	gas        *wallet.Solana
	gasKey     solanago.PrivateKey
	sender     *solana.Sender
	settlement solanago.PublicKey
	number     int64
}

// sweepsOf is the address that the sweeps of a seed name.
func sweepsOf(t *testing.T, seed *wallet.Seed) chain.Address {
	t.Helper()
	return solana.SweepsAddress(seed)
}

const gasFunds = solanago.LAMPORTS_PER_SOL / 10

func newTill(t *testing.T, h *harness) *till {
	t.Helper()
	seed, _, err := wallet.GenerateSeed()
	if err != nil {
		t.Fatal(err)
	}
	gas, text := wallet.GenerateSolana()
	vault, _, err := solanago.FindProgramAddress([][]byte{[]byte("vault")}, solanago.MemoProgramID)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := solana.New(
		solana.Config{Profile: h.profile(), Endpoints: []string{h.URL()}, Rate: unhurried, Sweeps: sweepsOf(t, seed)},
	)
	if err != nil {
		t.Fatal(err)
	}
	h.reader = reader
	return &till{
		harness: h, seed: seed, gas: gas, gasKey: solanago.MustPrivateKeyFromBase58(text.Reveal()), settlement: vault,
		sender: solana.NewSender(reader, solana.SenderConfig{Gas: gas, Seed: seed}),
	}
}

// fill gives the gas wallet SOL.
func (s *till) fill(lamports uint64) {
	s.mustSend([]solanago.Instruction{transferSOL(s.rich.PublicKey(), s.gas.PublicKey(), lamports)})
	s.Mine(1)
}

// deposit pays a new payment's address and returns it as an item of a sweep.
func (s *till) deposit(t *testing.T, asset chain.Asset, units uint64) chain.SweepItem {
	t.Helper()
	s.number++
	to, err := solana.NewDepositor(s.seed).DepositAddress(chain.Settlement{
		Network: chain.Solana, Wallet: chain.Address(s.settlement.String()),
		PaymentID: chaintest.TxnID(s.number), Scheme: chain.SchemeTxnID,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Pay(chaintest.Payment{To: to, Asset: asset, Units: units})
	return chain.SweepItem{
		PaymentID: chaintest.TxnID(s.number), Scheme: chain.SchemeTxnID, Address: to,
		Settlement: chain.Address(s.settlement.String()), Asset: asset, Expected: money.UnitsFromUint64(units),
	}
}

func (s *till) holds(t *testing.T, owner solanago.PublicKey, asset chain.Asset) uint64 {
	t.Helper()
	heads, err := s.reader.Heads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.reader.Balances(t.Context(), asset, []chain.Address{chain.Address(owner.String())}, heads.Latest)
	if err != nil {
		t.Fatal(err)
	}
	return got[0].Big().Uint64()
}

// exists reports whether the account exists.
func (s *till) exists(t *testing.T, key solanago.PublicKey) bool {
	t.Helper()
	var answer struct {
		Value any `json:"value"`
	}
	call(
		t, s.URL(), &answer, "getAccountInfo", key.String(),
		map[string]any{"commitment": "confirmed", "encoding": "base64"},
	)
	return answer.Value != nil
}

func (s *till) mustSign(t *testing.T, items []chain.SweepItem, previous ...chain.Attempt) chain.Attempt {
	t.Helper()
	a, err := s.sender.Sign(t.Context(), items, previous, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// track fails unless the attempts have the status.
func (s *till) track(
	t *testing.T, want chain.TxStatus, items []chain.SweepItem, attempts ...chain.Attempt,
) chain.SweepOutcome {
	t.Helper()
	seen, err := s.sender.Track(t.Context(), items, attempts)
	if err != nil || seen.Status != want {
		t.Fatalf("seen as %+v, %v; want %s", seen, err, want)
	}
	return seen
}

// carryOut broadcasts an attempt twice and waits until it is final.
func (s *till) carryOut(t *testing.T, items []chain.SweepItem, a chain.Attempt) chain.SweepOutcome {
	t.Helper()
	for range 2 {
		if err := s.sender.Broadcast(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	s.Mine(1)
	await(t, "the sweep is included", func() bool {
		seen, err := s.sender.Track(t.Context(), items, []chain.Attempt{a})
		return err == nil && seen.Status == chain.TxIncluded
	})
	s.Finalize()
	return s.track(t, chain.TxFinal, items, a)
}

func wantMoved(t *testing.T, seen chain.SweepOutcome, items []chain.SweepItem, units ...uint64) {
	t.Helper()
	if len(seen.Moved) != len(units) {
		t.Fatalf("moved %+v, want %d", seen.Moved, units)
	}
	for i, m := range seen.Moved {
		if m.Address != items[i].Address.Address || m.Contract != items[i].Asset.Contract ||
			m.Units.Cmp(money.UnitsFromUint64(units[i])) != 0 {
			t.Errorf("moved %+v, want %d of %s", m, units[i], items[i].Address.Address)
		}
	}
}

// wantPaid fails unless the sweep cost the lamports and its priority fee, which surfpool leaves out.
func (s *till) wantPaid(t *testing.T, seen chain.SweepOutcome, a chain.Attempt, lamports uint64) {
	t.Helper()
	if _, simulated := s.cluster.(*ledger); simulated {
		const perLamport = 1_000_000 // micro-lamports
		lamports += (a.Fee.Gas*a.Fee.Price.Big().Uint64() + perLamport - 1) / perLamport
	}
	if want := money.UnitsFromUint64(lamports); seen.Paid.Cmp(want) != 0 {
		t.Errorf("the sweep cost %s lamports, want %s", seen.Paid, want)
	}
}
