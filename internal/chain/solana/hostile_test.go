package solana_test

import (
	"testing"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/money"
)

// TestScan_CoinOnAccount: SOL sent to a token account changes the account, and the transaction reports no
// token balances. One lamport must not stop the reading of a network.
func TestScan_CoinOnAccount(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		to, other, payer := h.Address(), h.Address(), h.rich.PublicKey()
		h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
		h.Mine(1)
		wantUnits(t, h.scanned(t, to), 5)
		account := ata(solanago.PublicKey(to.Raw), h.mints[h.Credited().Contract])
		for range 3 {
			h.included(t, h.mineOne(transferSOL(payer, account, 1)))
			wantUnits(t, h.scanned(t, to), 5)
		}
		h.Pay(chaintest.Payment{To: other, Asset: h.Credited(), Units: 7})
		h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 9})
		h.Mine(1)
		wantUnits(t, h.scanned(t, to, other), 5, 7, 9)
		wantUnits(t, newHarness(t, h.bank, h.URL()).scanned(t, to, other), 5, 7, 9)
	})
}

// mineOne executes a transaction of one instruction.
func (h *harness) mineOne(i solanago.Instruction) solanago.Signature {
	tx := h.mustSend([]solanago.Instruction{i})
	h.Mine(1)
	return tx
}

// TestScan_FailedSpam: a page full of failed transactions that name an account, all newer than its payment,
// hides neither the payment nor the explanation of the balance.
func TestScan_FailedSpam(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	to, mint, payer := h.Address(), h.mints[h.Credited().Contract], h.rich.PublicKey()
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
	h.Mine(200)
	account := ata(solanago.PublicKey(to.Raw), mint)
	const spam = 1_010
	for range spam {
		h.mustSend([]solanago.Instruction{transferChecked(ata(payer, mint), mint, account, payer, 1<<62, 6)})
	}
	h.Mine(1)
	wantUnits(t, h.scanned(t, to), 5) // from the first slot on
	h.Finalize()
	h.Mine(200)
	fresh := newHarness(t, h.bank, h.URL())
	heads, err := fresh.reader.Heads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := fresh.reader.Scan(t.Context(), heads.Final.Number, heads.Latest, watching(to))
	if err != nil {
		t.Fatalf("started after the spam: %v", err)
	}
	wantUnits(t, got)
}

// coldReader is a new reader that knows the till's gas wallet.
func (s *till) coldReader(t *testing.T, endpoint string) *solana.Adapter {
	t.Helper()
	reader, err := solana.New(
		solana.Config{
			Profile: s.profile(), Endpoints: []string{endpoint}, Rate: unhurried, Sweeps: sweepsOf(t, s.seed),
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	return reader
}

// TestScan_ColdStart: a new reader finds the money that is there and the money that a sweep took, and reads
// only the histories of those accounts, however many addresses are watched.
func TestScan_ColdStart(t *testing.T) {
	t.Parallel()
	s := newTill(t, newLedger(t).harness)
	s.fill(gasFunds)
	swept, held := s.deposit(t, s.assets[0], 11), s.deposit(t, s.assets[1], 22)
	s.Mine(1)
	s.carryOut(t, []chain.SweepItem{swept}, s.mustSign(t, []chain.SweepItem{swept}))
	owners := []chain.Watched{swept.Address, held.Address}
	for range 200 {
		owners = append(owners, s.Address())
	}
	n := newNode(t, s.URL())
	cold := s.coldReader(t, n.url())
	wantUnits(t, scanWith(t, cold, owners...), 11, 22)
	if got := n.count("getSignaturesForAddress"); got != 4 {
		t.Errorf("%d histories were read, want 4: two of the gas wallet, one of each that was paid", got)
	}
	if got := n.count("getMultipleAccounts"); got != 7 {
		t.Errorf("%d calls to read 606 accounts, want 7", got)
	}
}

// TestScan_SweptMeanwhile: money that arrived and was swept by another instance between two readings leaves
// an account unchanged: it does not exist, or it holds the same amount. The payment is still found.
func TestScan_SweptMeanwhile(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		s := newTill(t, h)
		s.fill(gasFunds)
		gone, same := s.deposit(t, s.assets[0], 5), s.deposit(t, s.assets[0], 7)
		s.Mine(1)
		s.carryOut(t, []chain.SweepItem{gone}, s.mustSign(t, []chain.SweepItem{gone}))
		standby := s.coldReader(t, s.URL())
		wantUnits(t, scanWith(t, standby, gone.Address, same.Address), 5, 7)
		gone.Expected = money.UnitsFromUint64(6)
		s.Pay(chaintest.Payment{To: gone.Address, Asset: s.assets[0], Units: 6})
		s.Mine(1)
		both := []chain.SweepItem{gone, same}
		s.carryOut(t, both, s.mustSign(t, both))
		s.Pay(chaintest.Payment{To: same.Address, Asset: s.assets[0], Units: 7})
		s.Mine(1)
		wantUnits(t, scanWith(t, standby, gone.Address, same.Address), 5, 6, 7, 7)
	})
}
