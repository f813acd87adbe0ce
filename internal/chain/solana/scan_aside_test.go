package solana_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
)

// TestScan_OneCannotHold: whatever nodes answer for one account or one transaction, the money of others is found
// within one short grace, the address is named as not read, and its money is found when the nodes are well again.
func TestScan_OneCannotHold(t *testing.T) {
	t.Parallel()
	for nodes := 1; nodes <= 3; nodes++ {
		for name, spoil := range hostileAccounts() {
			if nodes > 1 && (name == "ListNull" || name == "ListEmpty") {
				continue // two nodes that list nothing are believed
			}
			t.Run(name+strconv.Itoa(nodes), func(t *testing.T) {
				t.Parallel()
				h := newLedger(t)
				victim, other := h.Address(), h.Address()
				tx := h.Pay(chaintest.Payment{To: victim, Asset: h.Credited(), Units: 5})
				h.Pay(chaintest.Payment{To: other, Asset: h.Credited(), Units: 7})
				h.Mine(1)
				for range 150 {
					h.Address()
				}
				reader, list, clock := h.through(t, nodes)
				if strings.HasPrefix(name, "Status") {
					wantUnits(t, scanWith(t, reader, victim, other), 5, 7) // before it goes wrong
				}
				h.Finalize()
				for _, n := range list {
					spoil(n, h.account(victim).String(), string(tx))
				}
				got, unread := scanWithin(t, reader, clock, 5*time.Second, victim, other)
				wantUnits(t, got, 7)
				wantUnread(t, unread, victim)
				for range 20 { // and from then on in every scan
					h.Mine(1)
					clock.advance(time.Second)
					got, unread = scanSome(t, reader, victim, other)
					wantUnits(t, got, 7)
					wantUnread(t, unread, victim)
				}
				for _, n := range list {
					n.heal()
				}
				for tries := 0; len(unread) > 0 && tries < 3; tries++ {
					clock.advance(time.Minute)
					got, unread = scanWithin(t, reader, clock, 5*time.Second, victim, other)
				}
				wantUnits(t, got, 5, 7)
				if len(unread) > 0 {
					t.Errorf("not read although the nodes are well: %s", unread)
				}
			})
		}
	}
}

// heal ends all wrong answers.
func (n *node) heal() {
	n.mu.Lock()
	defer n.mu.Unlock()
	clear(n.alter)
	clear(n.deny)
}

// scanWithin scans until the scan succeeds or names what it could not read, for at most this time.
func scanWithin(
	t *testing.T, r chain.Reader, c *clock, most time.Duration, owners ...chain.Watched,
) (got []chain.Transfer, unread []chain.Address) {
	t.Helper()
	const step = 500 * time.Millisecond
	for waited := time.Duration(0); ; waited += step {
		got, unread, err := scanOnce(t, r, owners...)
		if err == nil {
			return got, unread
		}
		if waited > most {
			t.Fatalf("the network is held for more than %s: %v", most, err)
		}
		c.advance(step)
	}
}

// TestScan_OneNode: what one of two nodes, or two of three, cannot read for an account, the other one reads, and
// none is taken out of use for it.
func TestScan_OneNode(t *testing.T) {
	t.Parallel()
	for name, spoil := range hostileAccounts() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			readByOne(t, 2, spoil)
			if name != "ListNull" && name != "ListEmpty" { // two nodes that list nothing are believed
				readByOne(t, 3, spoil)
			}
		})
	}
}

// readByOne scans through nodes of which all but the last cannot read an account.
func readByOne(t *testing.T, nodes int, spoil bad) {
	t.Helper()
	h := newLedger(t)
	victim, other := h.Address(), h.Address()
	tx := h.Pay(chaintest.Payment{To: victim, Asset: h.Credited(), Units: 5})
	h.Pay(chaintest.Payment{To: other, Asset: h.Credited(), Units: 7})
	h.Mine(1)
	reader, list, clock := h.through(t, nodes)
	h.Finalize()
	for _, n := range list[:nodes-1] {
		spoil(n, h.account(victim).String(), string(tx))
	}
	for range 5 {
		got, unread := scanWithin(t, reader, clock, 0, victim, other)
		wantUnits(t, got, 5, 7)
		if len(unread) > 0 {
			t.Fatalf("not read: %s", unread)
		}
		h.Mine(1)
		clock.advance(time.Second)
	}
	_, _ = reader.Find(t.Context(), tx) // a stranger asks what became of it
	for _, e := range reader.Endpoints() {
		if !e.CoolUntil.IsZero() {
			t.Errorf("%s rests: %s", e.Name, e.Reason)
		}
	}
}

// TestScan_ManyCannotHold: a new account every second that cannot be read holds the network no longer than one.
func TestScan_ManyCannotHold(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	reader, list, clock := h.through(t, 1)
	owners := []chain.Watched{h.Address()}
	h.Pay(chaintest.Payment{To: owners[0], Asset: h.Credited(), Units: 7})
	h.Mine(1)
	wantUnits(t, scanWith(t, reader, owners...), 7)
	bad := make(map[string]bool)
	list[0].set("getTransaction", func(params, result json.RawMessage) json.RawMessage {
		for tx := range bad {
			if strings.Contains(string(params), tx) {
				return json.RawMessage("null")
			}
		}
		return result
	})
	held := 0
	for range 60 {
		next := h.Address()
		bad[string(h.Pay(chaintest.Payment{To: next, Asset: h.Credited(), Units: 1}))] = true
		owners = append(owners, next)
		h.Mine(1)
		clock.advance(time.Second)
		if _, _, err := scanOnce(t, reader, owners...); err != nil {
			held++
		}
	}
	if held > 5 {
		t.Errorf("the network was held in %d of 60 seconds", held)
	}
}

// scanOnce is Scan up to now, with the addresses that could not be read apart from other errors.
func scanOnce(
	t *testing.T, r chain.Reader, owners ...chain.Watched,
) (got []chain.Transfer, unread []chain.Address, err error) {
	t.Helper()
	heads, err := r.Heads(t.Context())
	if err != nil {
		return nil, nil, err
	}
	got, _, err = r.Scan(t.Context(), 0, heads.Latest, watching(owners...))
	return partly(got, err)
}

// partly takes the addresses that could not be read out of an error.
func partly(got []chain.Transfer, err error) ([]chain.Transfer, []chain.Address, error) {
	if unread, some := errors.AsType[*chain.UnreadError](err); some {
		return got, unread.Addresses, nil
	}
	return got, nil, err
}

// TestScan_IndexBehind: nodes whose indexes are behind their accounts do not lose the payment of an account that is
// read for the first time.
func TestScan_IndexBehind(t *testing.T) {
	t.Parallel()
	for nodes := 1; nodes <= 2; nodes++ {
		h := newLedger(t)
		to, other := h.Address(), h.Address()
		h.Pay(chaintest.Payment{To: other, Asset: h.Credited(), Units: 7})
		h.Mine(5)
		reader, list, clock := h.through(t, nodes)
		for _, n := range list {
			n.set("getSignaturesForAddress", before(t, h.URL(), h.account(to), h.mints[h.Credited().Contract]))
		}
		h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
		h.Mine(1)
		got, unread := scanWithin(t, reader, clock, 5*time.Second, to, other)
		wantUnits(t, got, 7)
		wantUnread(t, unread, to)
		for _, n := range list {
			n.heal()
		}
		for range 3 {
			clock.advance(time.Minute)
			got, _ = scanWithin(t, reader, clock, 5*time.Second, to, other)
		}
		wantUnits(t, got, 5, 7)
	}
}

// TestScan_LiedAtFirst: nodes that showed another effect of a transaction while an account was read for the first time
// are asked again: what they showed then is not kept.
func TestScan_LiedAtFirst(t *testing.T) {
	t.Parallel()
	for nodes := 1; nodes <= 2; nodes++ {
		h := newLedger(t)
		to := h.Address()
		first := h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
		h.Mine(1)
		h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 7})
		h.Mine(1)
		reader, list, clock := h.through(t, nodes)
		for _, n := range list {
			forText("getTransaction", theTx, replacing(`"amount":"5"`, `"amount":"9"`))(n, "", string(first))
		}
		_, unread := scanWithin(t, reader, clock, 5*time.Second, to)
		wantUnread(t, unread, to)
		for _, n := range list {
			n.heal()
		}
		var got []chain.Transfer
		for range 3 {
			clock.advance(time.Minute)
			got, _ = scanWithin(t, reader, clock, 5*time.Second, to)
		}
		wantUnits(t, got, 5, 7)
	}
}

// before answers getSignaturesForAddress for the keys as the upstream does now, whatever happens later.
func before(
	t *testing.T, upstream string, keys ...solanago.PublicKey,
) func(params, result json.RawMessage) json.RawMessage {
	t.Helper()
	known := make(map[string]json.RawMessage)
	for _, k := range keys {
		var list json.RawMessage
		call(t, upstream, &list, "getSignaturesForAddress", k.String(), map[string]any{"commitment": "confirmed"})
		known[k.String()] = list
	}
	return func(params, result json.RawMessage) json.RawMessage {
		for k, list := range known {
			if strings.Contains(string(params), k) {
				return list
			}
		}
		return result
	}
}

// TestScan_HistoryPruned: nodes that list an old transaction and have forgotten it do not hold up what came later.
func TestScan_HistoryPruned(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(n *node, tx string){
		"Null":  func(n *node, tx string) { forText("getTransaction", theTx, says("null"))(n, "", tx) },
		"Error": func(n *node, tx string) { n.failFor("getTransaction", tx, 200, rpcError(-32011, "no history")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newLedger(t)
			to := h.Address()
			old := h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
			h.Mine(400)
			from := mustHeads(t, h.reader).Latest.Number
			reader, list, _ := h.through(t, 2)
			for _, n := range list {
				answer(n, string(old))
			}
			scan := func() []chain.Transfer {
				got, _, err := reader.Scan(t.Context(), from, mustHeads(t, reader).Latest, watching(to))
				if err != nil {
					t.Fatal(err)
				}
				return got
			}
			h.spam(h.mints[h.Credited().Contract], 1) // so that the indexes show how far they are
			wantUnits(t, scan())
			h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 9})
			h.Mine(1)
			wantUnits(t, scan(), 9)
		})
	}
}
