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
)

// spam makes transactions that name the key and change nothing, in one slot.
func (h *harness) spam(key solanago.PublicKey, n int) {
	for range n {
		h.mustSend([]solanago.Instruction{transferSOL(h.rich.PublicKey(), key, 0)})
	}
	h.Mine(1)
}

// manySpam is more than one scan reads of an account.
const manySpam = 700

func (h *harness) account(to chain.Watched) solanago.PublicKey {
	return ata(solanago.PublicKey(to.Raw), h.mints[h.Credited().Contract])
}

// scanSome scans up to now and returns what was found and which addresses could not be read.
func scanSome(t *testing.T, r chain.Reader, owners ...chain.Watched) ([]chain.Transfer, []chain.Address) {
	t.Helper()
	heads, err := r.Heads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := r.Scan(t.Context(), 0, heads.Latest, watching(owners...))
	unread, some := errors.AsType[*chain.UnreadError](err)
	if err != nil && !some {
		t.Fatal(err)
	}
	if some {
		return got, unread.Addresses
	}
	return got, nil
}

// wantUnread fails unless exactly this address could not be read.
func wantUnread(t *testing.T, got []chain.Address, want chain.Watched) {
	t.Helper()
	if len(got) != 1 || got[0] != want.Address {
		t.Fatalf("not read: %s, want %s", got, want.Address)
	}
}

// scanAll scans until everything is read, at most so many times.
func scanAll(t *testing.T, most int, r chain.Reader, owners ...chain.Watched) []chain.Transfer {
	t.Helper()
	for range most {
		if got, unread := scanSome(t, r, owners...); len(unread) == 0 {
			return got
		}
	}
	t.Fatalf("after %d scans not everything is read", most)
	return nil
}

// TestScan_SpamUnpaid: transactions that name an account which was never paid, and lamports sent to it, cost the
// reader nothing.
func TestScan_SpamUnpaid(t *testing.T) {
	t.Parallel()
	h, first, _ := twoNodes(t)
	h.reader = h.withGas(t, first.url())
	victim, other := h.Address(), h.Address()
	wantUnits(t, h.scanned(t, victim, other))
	h.spam(h.account(victim), 60)
	h.mustSend([]solanago.Instruction{transferSOL(h.rich.PublicKey(), h.account(victim), h.rent(165))})
	h.Pay(chaintest.Payment{To: other, Asset: h.Credited(), Units: 7})
	h.Mine(1)
	wantUnits(t, h.scanned(t, victim, other), 7)
	wantUnits(t, scanWith(t, h.withGas(t, first.url()), victim, other), 7)
	if n := first.count("getTransaction"); n > 6 {
		t.Errorf("%d transactions were read for one payment, twice", n)
	}
	h.Pay(chaintest.Payment{To: victim, Asset: h.Credited(), Units: 5})
	h.Mine(1)
	wantUnits(t, h.scanned(t, victim, other), 5, 7)
}

// TestScan_SpamPaid: a long history of one account does not keep others from being read, each of its transactions
// is read once, and its own payment is found.
func TestScan_SpamPaid(t *testing.T) {
	t.Parallel()
	h, first, _ := twoNodes(t)
	victim, other := h.Address(), h.Address()
	h.Pay(chaintest.Payment{To: victim, Asset: h.Credited(), Units: 5})
	h.Mine(1)
	h.spam(h.account(victim), manySpam)
	h.Pay(chaintest.Payment{To: other, Asset: h.Credited(), Units: 7})
	h.Mine(1)
	reader := h.withGas(t, first.url())
	got, unread := scanSome(t, reader, victim, other)
	wantUnits(t, got, 7)
	wantUnread(t, unread, victim)
	h.Pay(chaintest.Payment{To: other, Asset: h.Credited(), Units: 8})
	h.Mine(1)
	got, unread = scanSome(t, reader, victim, other)
	wantUnits(t, got, 7, 8)
	wantUnread(t, unread, victim)
	wantUnits(t, scanAll(t, 5, reader, victim, other), 5, 7, 8)
	if n := first.count("getTransaction"); n > manySpam+10 {
		t.Errorf("%d transactions were read, and there are %d", n, manySpam+3)
	}
}

// TestScan_SpamBetween: of an account that only gained since it was read, only what changed its balance is read:
// spam before that costs nothing.
func TestScan_SpamBetween(t *testing.T) {
	t.Parallel()
	h, first, _ := twoNodes(t)
	h.reader = h.withGas(t, first.url())
	to := h.Address()
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
	h.Mine(1)
	wantUnits(t, h.scanned(t, to), 5)
	h.spam(h.account(to), manySpam)
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 6})
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 7})
	h.Mine(1)
	before := first.count("getTransaction")
	wantUnits(t, h.scanned(t, to), 5, 6, 7)
	if n := first.count("getTransaction") - before; n > 16 {
		t.Errorf("%d transactions were read for two payments", n)
	}
}

// TestScan_SpamOnSweeps: each transaction that names the address of the sweeps is read once, even if scans fail
// meanwhile.
func TestScan_SpamOnSweeps(t *testing.T) {
	t.Parallel()
	s := newTill(t, newLedger(t).harness)
	s.fill(gasFunds)
	n := newNode(t, s.URL())
	reader := s.coldReader(t, n.url())
	var owners []chain.Watched
	for range 60 {
		owners = append(owners, s.Address())
	}
	wantUnits(t, scanWith(t, reader, owners...))
	const spam = 50
	s.spam(solanago.MustPublicKeyFromBase58(string(sweepsOf(t, s.seed))), spam)
	for range 4 {
		s.Mine(1)
		wantUnits(t, scanWith(t, reader, owners...))
	}
	if got := n.count("getTransaction"); got != spam {
		t.Errorf("%d transactions were read of %d", got, spam)
	}
	if got := n.count("getSignaturesForAddress"); got > 12 {
		t.Errorf("%d histories were read of accounts that nothing happened to", got)
	}
}

// forgetful is a node that has forgotten the history of an account.
func forgetful(t *testing.T, upstream string, account solanago.PublicKey) *node {
	t.Helper()
	n := newNode(t, upstream)
	n.set("getSignaturesForAddress", func(params, result json.RawMessage) json.RawMessage {
		if strings.Contains(string(params), account.String()) {
			return json.RawMessage(`[]`)
		}
		return result
	})
	return n
}

// TestScan_Forgotten: a balance from before what a node remembers does not keep others from being read, and is
// accepted once another node lists nothing either or the index has settled.
func TestScan_Forgotten(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	old, other := h.Address(), h.Address()
	h.Pay(chaintest.Payment{To: old, Asset: h.Credited(), Units: 1})
	h.Mine(400)
	h.Pay(chaintest.Payment{To: other, Asset: h.Credited(), Units: 7})
	h.Mine(1)
	scan := func(t *testing.T, r chain.Reader) []chain.Address {
		t.Helper()
		heads, err := r.Heads(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := r.Scan(t.Context(), 400, heads.Latest, watching(old, other))
		wantUnits(t, got, 7)
		unread, some := errors.AsType[*chain.UnreadError](err)
		if !some {
			return nil
		}
		return unread.Addresses
	}
	n := forgetful(t, h.URL(), h.account(old))
	single := newHarness(t, h.bank, n.url()).reader
	wantUnread(t, scan(t, single), old)
	two := newHarness(t, h.bank, n.url(), forgetful(t, h.URL(), h.account(old)).url()).reader
	if unread := scan(t, two); unread != nil {
		t.Errorf("two nodes list nothing, but not read: %s", unread)
	}
	h.Mine(140)
	wantUnread(t, scan(t, single), old)
	h.Mine(20)
	if unread := scan(t, single); unread != nil {
		t.Errorf("the index has settled, but not read: %s", unread)
	}
	n.set("getSignaturesForAddress", nil)
	h.Pay(chaintest.Payment{To: old, Asset: h.Credited(), Units: 2})
	h.Mine(1)
	got, _, err := single.Scan(t.Context(), 500, mustHeads(t, single).Latest, watching(old, other))
	if err != nil {
		t.Fatal(err)
	}
	wantUnits(t, got, 2, 7)
}

func mustHeads(t *testing.T, r chain.Reader) chain.Heads {
	t.Helper()
	heads, err := r.Heads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return heads
}

// TestScan_ForgottenWithin: a node lists the newest payment of an account and has forgotten the one before, which is in
// the range too. Another node, or nothing but the first slot that the node remembers, shows that one is missing.
func TestScan_ForgottenWithin(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	to := h.Address()
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
	h.Mine(200)
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 6})
	h.Mine(1)
	newest := func() *node {
		n := newNode(t, h.URL())
		n.set("getSignaturesForAddress", func(params, result json.RawMessage) json.RawMessage {
			var list []json.RawMessage
			if json.Unmarshal(result, &list) != nil || len(list) < 2 ||
				!strings.Contains(string(params), h.account(to).String()) {
				return result
			}
			return json.RawMessage("[" + string(list[0]) + "]")
		})
		return n
	}
	t.Run("ByOne", func(t *testing.T) {
		reader := newHarness(t, h.bank, newest().url(), newNode(t, h.URL()).url()).reader
		wantUnits(t, scanWith(t, reader, to), 5, 6)
	})
	t.Run("ByTheOnlyOne", func(t *testing.T) {
		n := newest()
		n.set("getFirstAvailableBlock", always("100"))
		single := newHarness(t, h.bank, n.url()).reader
		_, unread := scanSome(t, single, to)
		wantUnread(t, unread, to)
		h.Mine(200) // the index has settled
		_, unread = scanSome(t, single, to)
		wantUnread(t, unread, to)
		n.set("getSignaturesForAddress", nil)
		wantUnits(t, scanWith(t, single, to), 5, 6)
	})
}

// TestScan_ForgottenByOne: a node that lists nothing does not prevail over one that does.
func TestScan_ForgottenByOne(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	to := h.Address()
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
	h.Mine(300)
	n := forgetful(t, h.URL(), h.account(to))
	reader := newHarness(t, h.bank, n.url(), newNode(t, h.URL()).url()).reader
	wantUnits(t, scanWith(t, reader, to), 5)
}

// TestScan_Unreadable: a transaction that no node can read keeps the network waiting for moments only.
func TestScan_Unreadable(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	victim, other := h.Address(), h.Address()
	bad := h.Pay(chaintest.Payment{To: victim, Asset: h.Credited(), Units: 5})
	h.Pay(chaintest.Payment{To: other, Asset: h.Credited(), Units: 7})
	h.Mine(1)
	now := time.Now()
	for name, answer := range map[string]string{"Null": `null`, "Garbled": `{"slot":1}`, "NotJSON": `"?"`} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t, h.URL())
			n.set("getTransaction", func(params, result json.RawMessage) json.RawMessage {
				if strings.Contains(string(params), string(bad)) {
					return json.RawMessage(answer)
				}
				return result
			})
			reader, err := solana.New(solana.Config{
				Profile: h.profile(), Endpoints: []string{n.url()},
				Rate: unhurried, Now: func() time.Time { return now },
			})
			if err != nil {
				t.Fatal(err)
			}
			heads := mustHeads(t, reader)
			if _, _, err := reader.Scan(
				t.Context(), 0, heads.Latest, watching(victim, other),
			); !fault.Is(err, fault.Unavailable) {
				t.Fatalf("at first: %v, want Unavailable", err)
			}
			now = now.Add(11 * time.Second)
			got, unread := scanSome(t, reader, victim, other)
			wantUnits(t, got, 7)
			wantUnread(t, unread, victim)
			n.set("getTransaction", nil)
			wantUnits(t, scanWith(t, reader, victim, other), 5, 7)
		})
	}
}

// TestScan_SpamSwept: one endpoint that is all there is reads the history of an account that a sweep has emptied once
// more for each pass over its blocks. One that takes several scans is read in the end, whatever passes come between.
func TestScan_SpamSwept(t *testing.T) {
	t.Parallel()
	s, reader, n, clock, _, _ := named(t)
	items := []chain.SweepItem{s.deposit(t, s.assets[0], 7)}
	s.Mine(1)
	s.spam(s.accountOf(items[0]), manySpam/2)
	s.carryOut(t, items, s.mustSign(t, items))
	for whole := 0; whole < 3; {
		s.Mine(1)
		s.Finalize()
		clock.advance(2 * time.Second)
		at := mustHeads(t, reader).Final
		for _, from := range []uint64{at.Number, 0} { // what is new, and what rests
			got, _, err := reader.Scan(t.Context(), from, at, watching(items[0].Address))
			if _, some := errors.AsType[*chain.UnreadError](err); err != nil && !some {
				t.Fatal(err)
			}
			if err == nil && from == 0 {
				wantUnits(t, got, 7)
				whole++
			}
		}
		if read := n.count("getTransaction"); read > manySpam {
			t.Fatalf("%d transactions were read of %d, and the account %d times whole", read, manySpam/2, whole)
		}
	}
}
