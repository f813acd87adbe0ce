package solana_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
)

// lists makes a node change its lists of transactions.
func (n *node) lists(change func(list []json.RawMessage) []json.RawMessage) {
	n.set("getSignaturesForAddress", func(_, result json.RawMessage) json.RawMessage {
		var list []json.RawMessage
		if json.Unmarshal(result, &list) != nil {
			return result
		}
		out, err := json.Marshal(append([]json.RawMessage{}, change(list)...))
		if err != nil {
			return result
		}
		return out
	})
}

// unlists makes a node leave a transaction out of its lists.
func (n *node) unlists(tx chain.TxHash) {
	n.lists(func(list []json.RawMessage) []json.RawMessage {
		return slices.DeleteFunc(list, func(l json.RawMessage) bool { return strings.Contains(string(l), string(tx)) })
	})
}

// holds makes a node show accounts of so many units with fewer.
func (n *node) holds(units, fewer uint64) {
	data := regexp.MustCompile(`"data":\["([^"]+)"`)
	n.set("getMultipleAccounts", func(_, result json.RawMessage) json.RawMessage {
		return data.ReplaceAllFunc(result, func(found []byte) []byte {
			text := data.FindSubmatch(found)[1]
			raw, err := base64.StdEncoding.DecodeString(string(text))
			const amountAt = 64 // in a token account
			if err != nil || len(raw) < amountAt+8 || binary.LittleEndian.Uint64(raw[amountAt:]) != units {
				return found
			}
			binary.LittleEndian.PutUint64(raw[amountAt:], fewer)
			return bytes.Replace(found, text, []byte(base64.StdEncoding.EncodeToString(raw)), 1)
		})
	})
}

// TestScan_HiddenOfEqualAmounts: a list without the second of two equal payments does not explain what the account
// holds, though what it lists adds up to what came since.
func TestScan_HiddenOfEqualAmounts(t *testing.T) {
	t.Parallel()
	s, reader, n, clock, _, _ := named(t)
	first := s.deposit(t, s.assets[0], 7)
	s.Mine(1)
	got, _ := scanWithin(t, reader, clock, 5*time.Second, first.Address)
	wantUnits(t, got, 7)
	n.unlists(s.Pay(chaintest.Payment{To: first.Address, Asset: s.assets[0], Units: 7}))
	s.Mine(1)
	if got, unread := scanWithin(t, reader, clock, 10*time.Second, first.Address); len(unread) == 0 {
		t.Fatalf("the account counts as read with %d transfers", len(got))
	}
	n.set("getSignaturesForAddress", nil)
	s.readsAgain(t, reader, clock, first.Address, 7, 7)
}

// TestScan_ListedTwice: a transaction that a node lists twice does not explain the equal payment before it, which its
// lists lack.
func TestScan_ListedTwice(t *testing.T) {
	t.Parallel()
	s, reader, n, clock, _, _ := named(t)
	first := s.deposit(t, s.assets[0], 7)
	s.Mine(1)
	s.Pay(chaintest.Payment{To: first.Address, Asset: s.assets[0], Units: 7})
	s.Mine(1)
	n.lists(func(list []json.RawMessage) []json.RawMessage {
		if len(list) != 2 {
			return list
		}
		return []json.RawMessage{list[0], list[0]} // the newest stands first
	})
	if got, unread := scanWithin(t, reader, clock, 10*time.Second, first.Address); len(unread) == 0 {
		t.Fatalf("the account counts as read with %d transfers", len(got))
	}
	n.set("getSignaturesForAddress", nil)
	s.readsAgain(t, reader, clock, first.Address, 7, 7)
}

// TestScan_WrongBalance: a node showed what the account held within a slot, and no history. When it is right again, its
// history is compared with what it shows then.
func TestScan_WrongBalance(t *testing.T) {
	t.Parallel()
	s, reader, n, clock, _, _ := named(t)
	first := s.deposit(t, s.assets[0], 5)
	s.Pay(chaintest.Payment{To: first.Address, Asset: s.assets[0], Units: 9})
	s.Mine(1)
	n.holds(14, 5)
	n.set("getSignaturesForAddress", always("[]"))
	if got, unread := scanWithin(t, reader, clock, 10*time.Second, first.Address); len(unread) == 0 {
		t.Fatalf("the account counts as read with %d transfers", len(got))
	}
	n.set("getMultipleAccounts", nil)
	n.set("getSignaturesForAddress", nil)
	s.readsAgain(t, reader, clock, first.Address, 5, 9)
}

// TestScan_OneNodeAgain: a node that is all there is denied a payment until a sweep took it. When the slots are read
// again, the account looks as it did, and the payment is found.
func TestScan_OneNodeAgain(t *testing.T) {
	t.Parallel()
	s, reader, n, clock, _, _ := named(t)
	first := s.deposit(t, s.assets[0], 7)
	s.Mine(1)
	paid := s.scanned(t, first.Address)[0].Tx
	n.unlists(paid)
	items := []chain.SweepItem{first}
	sweep := s.mustSign(t, items)
	n.set("getTransaction", func(params, result json.RawMessage) json.RawMessage {
		if !strings.Contains(string(params), string(sweep.Tx)) {
			return result
		}
		return json.RawMessage(strings.ReplaceAll(string(result), `"amount":"7"`, `"amount":"0"`))
	})
	s.carryOut(t, items, sweep)
	s.Finalize()
	read := func(want ...uint64) {
		clock.advance(time.Second)
		got, _, err := reader.Scan(t.Context(), 1, mustHeads(t, reader).Final, watching(first.Address))
		if err != nil {
			t.Fatal(err)
		}
		wantUnits(t, got, want...)
	}
	read()
	read()
	n.set("getSignaturesForAddress", nil)
	n.set("getTransaction", nil)
	read(7)
}

// readsAgain scans until the address can be read whole, which must show transfers of the units.
func (s *till) readsAgain(t *testing.T, r chain.Reader, c *clock, to chain.Watched, want ...uint64) {
	t.Helper()
	var got []chain.Transfer
	for range 10 {
		c.advance(10 * time.Second)
		var unread []chain.Address
		if got, unread = scanWithin(t, r, c, 5*time.Second, to); len(unread) == 0 {
			break
		}
	}
	wantUnits(t, got, want...)
}
