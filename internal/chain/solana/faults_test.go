package solana_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/fault"
)

// twoNodes is a ledger behind two nodes, the first of which is preferred.
func twoNodes(t *testing.T) (h *ledgerHarness, first, second *node) {
	t.Helper()
	h = newLedger(t)
	first, second = newNode(t, h.URL()), newNode(t, h.URL())
	h.reader = newHarness(t, h.bank, first.url(), second.url()).reader
	return h, first, second
}

// watching is the set of the owners.
func watching(owners ...chain.Watched) *chain.WatchSet {
	set := chain.NewWatchSet(len(owners))
	for _, o := range owners {
		set.Add(o)
	}
	return set
}

// TestFaults_WrongAnswers: whatever one node omits or does not know yet, the reader gets the payment from the
// other one; with the faulty node alone it reports an error.
func TestFaults_WrongAnswers(t *testing.T) {
	t.Parallel()
	noBalances := func(_, result json.RawMessage) json.RawMessage {
		return json.RawMessage(strings.ReplaceAll(string(result), `"accountIndex":`, `"accountIndex":1`))
	}
	cases := map[string]struct {
		method string
		alter  func(params, result json.RawMessage) json.RawMessage
	}{
		"TransactionNull":   {"getTransaction", always("null")},
		"NoSignatures":      {"getSignaturesForAddress", always("[]")},
		"WrongIndex":        {"getTransaction", noBalances},
		"WrongTransaction":  {"getTransaction", always(`{"slot":1,"transaction":{"signatures":["x"]},"meta":{}}`)},
		"TooFewAccounts":    {"getMultipleAccounts", always(`{"context":{"slot":99999999},"value":[]}`)},
		"OldAccounts":       {"getMultipleAccounts", always(`{"context":{"slot":1},"value":[null,null,null]}`)},
		"SignaturesGarbled": {"getSignaturesForAddress", always(`[{"signature":"","slot":1}]`)},
		"TooFewStatuses":    {"getSignatureStatuses", always(`{"value":[]}`)},
		"NotJSON":           {"getMultipleAccounts", always(`"?"`)},
		"BlockNull":         {"getBlock", always("null")},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, first, _ := twoNodes(t)
			to := h.Address()
			h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
			h.Mine(2)
			first.set(c.method, c.alter)
			wantUnits(t, h.scanned(t, to), 5)

			single := newHarness(t, h.bank, first.url())
			first.set(c.method, nil)
			heads, err := single.reader.Heads(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			first.set(c.method, c.alter)
			if got, _, err := single.reader.Scan(
				t.Context(), 0, heads.Latest, watching(to),
			); !fault.Is(err, fault.Unavailable) {
				t.Errorf("believed: %+v, %v", got, err)
			}
			first.set(c.method, nil)
		})
	}
}

// TestFaults_Behind: a node that is behind is skipped.
func TestFaults_Behind(t *testing.T) {
	t.Parallel()
	h, first, _ := twoNodes(t)
	before, err := h.reader.Heads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	first.set("getSlot", always("50"))
	h.Mine(1)
	if now, err := h.reader.Heads(t.Context()); err != nil || now.Latest.Number <= before.Latest.Number {
		t.Errorf("heads through a node that is behind: %+v, %v", now, err)
	}
}

// TestFaults_Refused: a node that refuses is skipped and cools down, and its secret appears nowhere.
func TestFaults_Refused(t *testing.T) {
	t.Parallel()
	for _, status := range []int{429, 500, 503} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			h, first, _ := twoNodes(t)
			to := h.Address()
			h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
			h.Mine(1)
			first.refuse(status)
			wantUnits(t, h.scanned(t, to), 5)
			e := h.reader.Endpoints()[0]
			if e.Name != first.name() || e.Healthy || e.CoolUntil.IsZero() {
				t.Errorf("after HTTP status %d: %+v", status, e)
			}
			single := newHarness(t, h.bank, first.url())
			_, err := single.reader.Heads(t.Context())
			if !fault.Is(err, fault.Unavailable) || strings.Contains(err.Error()+e.Reason, secretPath) {
				t.Errorf("single node with HTTP status %d: %v; %+v", status, err, e)
			}
		})
	}
}

// TestFaults_OtherCluster: answers of a node of another cluster are not used.
func TestFaults_OtherCluster(t *testing.T) {
	t.Parallel()
	h, _, second := twoNodes(t)
	if err := h.reader.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	second.set("getGenesisHash", always(`"EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG"`))
	to := h.Address()
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
	h.Mine(1)
	got := h.scanned(t, to)
	wantUnits(t, got, 5)
	heads, err := h.reader.Heads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if verdict, err := chain.JudgeAll(t.Context(), h.reader, []chain.Transfer{got[0]}, heads.Latest); err == nil {
		t.Errorf("a node of another cluster confirmed: %d", verdict)
	}
	p := h.profile()
	for _, mainnet := range chain.Profiles() {
		if mainnet.Network == chain.Solana {
			p.Assets = mainnet.Assets
		}
	}
	reader, err := solana.New(solana.Config{Profile: p, Endpoints: []string{h.URL()}})
	if err != nil {
		t.Fatal(err)
	}
	if err := reader.Check(t.Context()); !fault.Is(err, fault.Unprocessable) {
		t.Errorf("the mints of mainnet on another cluster: %v, want Unprocessable", err)
	}
}

// TestJudge_SecondNode: the node that reported a transfer does not confirm it again, and against it alone the other
// decides nothing.
func TestJudge_SecondNode(t *testing.T) {
	t.Parallel()
	h, first, second := twoNodes(t)
	to := h.Address()
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
	h.Mine(1)
	h.Finalize()
	got := h.scanned(t, to)
	heads, err := h.reader.Heads(t.Context())
	if err != nil || len(got) != 1 || got[0].Source != first.name() {
		t.Fatalf("found %+v, %v", got, err)
	}
	confirm := func(want chain.Verdict) {
		t.Helper()
		if verdict, err := chain.JudgeAll(t.Context(), h.reader, []chain.Transfer{got[0]}, heads.Final); err != nil ||
			verdict != want {
			t.Errorf("verdict %d, %v; want %d", verdict, err, want)
		}
	}
	confirm(chain.Stands)
	second.set("getSignatureStatuses", always(`{"value":[null]}`))
	confirm(chain.Undecided) // its block has it
	second.set("getBlock", func(params, result json.RawMessage) json.RawMessage {
		return json.RawMessage(strings.Replace(string(result), `"signatures":[`, `"others":[`, 1))
	})
	confirm(chain.Undecided) // one says so, one denies it
	second.set("getSignatureStatuses", nil)
	second.set("getTransaction", always("null"))
	confirm(chain.Undecided)
	second.set("getTransaction", func(_, result json.RawMessage) json.RawMessage {
		return json.RawMessage(strings.ReplaceAll(string(result), `"amount":"5"`, `"amount":"6"`))
	})
	confirm(chain.Undecided)
	second.heal()
	confirm(chain.Stands)
}

// TestScan_SkippedSlots: slots without a block have a head and can end a range.
func TestScan_SkippedSlots(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	to := h.Address()
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
	h.Mine(1)
	paid, err := h.reader.Heads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := h.ledger.Skip(40); err != nil {
		t.Fatal(err)
	}
	h.Mine(1)
	at, ok, err := h.reader.BlockAt(t.Context(), paid.Latest.Number+20)
	if err != nil || !ok || at.Number != paid.Latest.Number+20 || at.Hash != paid.Latest.Hash {
		t.Fatalf("a skipped slot is %+v, %v, %v", at, ok, err)
	}
	got, _, err := h.reader.Scan(t.Context(), paid.Latest.Number, at, watching(to))
	if err != nil {
		t.Fatal(err)
	}
	wantUnits(t, got, 5)
	if got, _, err = h.reader.Scan(t.Context(), paid.Latest.Number+1, at, watching(to)); err != nil {
		t.Fatal(err)
	}
	wantUnits(t, got)
	at.Hash = solanago.Hash{1}.String()
	_, _, err = h.reader.Scan(t.Context(), paid.Latest.Number, at, watching(to))
	if !errors.Is(err, chain.ErrReorged) {
		t.Errorf("a skipped slot with another hash: %v, want ErrReorged", err)
	}
}

// TestScan_LongHistory: an account has more signatures than one answer holds.
func TestScan_LongHistory(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	to, mint := h.Address(), h.mints[h.Credited().Contract]
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
	h.Mine(1)
	const spam = 1_050
	for i := range spam {
		account := ata(solanago.PublicKey(to.Raw), mint)
		h.mustSend(
			[]solanago.Instruction{
				transferChecked(ata(h.rich.PublicKey(), mint), mint, account, h.rich.PublicKey(), 0, 6),
			},
		)
		if i%200 == 0 {
			h.Mine(1)
		}
	}
	h.Mine(1)
	wantUnits(t, scanAll(t, 6, h.reader, to), 5)
}

// TestScan_Cost: an unchanged account costs a hundredth of a call, and its history is not read.
func TestScan_Cost(t *testing.T) {
	t.Parallel()
	h, first, _ := twoNodes(t)
	var owners []chain.Watched
	for range 100 {
		owners = append(owners, h.Address())
	}
	h.Mine(1)
	h.reader = h.withGas(t, first.url())
	wantUnits(t, h.scanned(t, owners...))
	if n := first.count("getSignaturesForAddress"); n != 1 {
		t.Errorf("%d histories were read for 300 accounts that do not exist and a gas wallet", n)
	}
	looks, histories := first.count("getMultipleAccounts"), first.count("getSignaturesForAddress")
	h.Pay(chaintest.Payment{To: owners[7], Asset: h.Credited(), Units: 5})
	h.Mine(1)
	wantUnits(t, h.scanned(t, owners...), 5)
	if n := first.count("getMultipleAccounts") - looks; n != 3 {
		t.Errorf("%d calls to read 300 accounts, want 3", n)
	}
	if n := first.count("getSignaturesForAddress") - histories; n != 2 {
		t.Errorf("%d histories were read for one that changed and a gas wallet", n)
	}
}

// withGas is a reader of a cluster with a gas wallet that was never used.
func (h *harness) withGas(t *testing.T, endpoint string) *solana.Adapter {
	t.Helper()
	sweeps := chain.Address(newKey(t).PublicKey().String())
	reader, err := solana.New(
		solana.Config{Profile: h.profile(), Endpoints: []string{endpoint}, Rate: unhurried, Sweeps: sweeps},
	)
	if err != nil {
		t.Fatal(err)
	}
	return reader
}

// TestDepositor: addresses are stable, and different for each payment.
func TestDepositor(t *testing.T) {
	t.Parallel()
	s := newTill(t, newLedger(t).harness)
	d := solana.NewDepositor(s.seed)
	in := chain.Settlement{
		Network: chain.Solana, Wallet: chain.Address(s.settlement.String()), PaymentID: chaintest.TxnID(1),
		Scheme: chain.SchemeTxnID,
	}
	one, err := d.DepositAddress(in)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := d.DepositAddress(in); err != nil || again.Address != one.Address {
		t.Errorf("the same settlement gives %v after %v, %v", again, one, err)
	}
	in.PaymentID = chaintest.TxnID(2)
	if two, err := d.DepositAddress(in); err != nil || two.Address == one.Address {
		t.Errorf("two payments share %v, %v", two, err)
	}
	for name, bad := range map[string]chain.Settlement{
		"NoPayment": {Network: chain.Solana, Wallet: in.Wallet, Scheme: in.Scheme},
		"Number":    {Network: chain.Solana, Wallet: in.Wallet, PaymentID: "1", Scheme: in.Scheme},
		"NoScheme":  {Network: chain.Solana, Wallet: in.Wallet, PaymentID: in.PaymentID},
		"Scheme":    {Network: chain.Solana, Wallet: in.Wallet, PaymentID: in.PaymentID, Scheme: in.Scheme + 1},
		"Network":   {Network: chain.Base, Wallet: in.Wallet, PaymentID: in.PaymentID, Scheme: in.Scheme},
		"Wallet": {
			Network: chain.Solana, Wallet: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94", PaymentID: in.PaymentID,
			Scheme: in.Scheme,
		},
	} {
		if got, err := d.DepositAddress(bad); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}
