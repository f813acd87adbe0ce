package solana_test

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// slowItems are calls to which nodes give no answer in time for one account or one transaction.
func slowItems() map[string]bad {
	return map[string]bad{
		"Tx":      refusing("getTransaction", theTx, silent, ""),
		"List":    refusing("getSignaturesForAddress", theAccount, silent, ""),
		"Account": refusing("getMultipleAccounts", theAccount, silent, ""),
		"Status":  refusing("getSignatureStatuses", theTx, silent, ""),
	}
}

// TestScan_SlowItem: what takes nodes too long is waited for once, and then ever more rarely: every scan reads the
// money of others, and no node rests for it. One that is silent about everything does.
func TestScan_SlowItem(t *testing.T) {
	t.Parallel()
	for nodes := 1; nodes <= 2; nodes++ {
		for name, spoil := range slowItems() {
			t.Run(name+strconv.Itoa(nodes), func(t *testing.T) {
				t.Parallel()
				h := newLedger(t)
				victim, other := h.Address(), h.Address()
				tx := h.Pay(chaintest.Payment{To: victim, Asset: h.Credited(), Units: 5})
				h.Pay(chaintest.Payment{To: other, Asset: h.Credited(), Units: 7})
				h.Mine(1)
				owners := []chain.Watched{victim, other}
				for range 40 {
					owners = append(owners, h.Address())
				}
				reader, list, clock := h.through(t, nodes, func(c *solana.Config) { c.Timeout = 3 * time.Second })
				if strings.HasPrefix(name, "Status") {
					wantUnits(t, scanWith(t, reader, owners...), 5, 7) // before it becomes slow
				}
				h.Finalize()
				for _, n := range list {
					spoil(n, h.account(victim).String(), string(tx))
				}
				for range 12 {
					got, unread := scanSome(t, reader, owners...)
					wantUnits(t, got, 7)
					wantUnread(t, unread, victim)
					h.Mine(1)
					clock.advance(time.Second)
				}
				for _, n := range list {
					if asked := n.silenced(); asked > 8 {
						t.Errorf("%s was waited for %d times in 12 scans", name, asked)
					}
					n.heal()
				}
				wantAllReady(t, reader)
				clock.advance(time.Minute)
				got, unread := scanSome(t, reader, owners...)
				wantUnits(t, got, 5, 7)
				if len(unread) > 0 {
					t.Errorf("not read although the nodes are well: %s", unread)
				}
				wantRest(t, reader, list, owners)
			})
		}
	}
}

// TestScan_SlowTransactionOfMany: a slow transaction that names many accounts is waited for by those that are read at
// the time, and by no others after them.
func TestScan_SlowTransactionOfMany(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	other := h.Address()
	owners := []chain.Watched{other}
	h.Pay(chaintest.Payment{To: other, Asset: h.Credited(), Units: 7})
	mint, payer := h.mints[h.Credited().Contract], h.rich.PublicKey()
	var list []solanago.Instruction
	for range 16 {
		to := h.Address()
		h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
		owners = append(owners, to)
		list = append(list, transfer(ata(payer, mint), ata(solanago.PublicKey(to.Raw), mint), payer, 0))
	}
	h.Mine(1)
	tx := h.mustSend(list).String()
	h.Mine(1)
	reader, nodes, clock := h.through(t, 1, func(c *solana.Config) { c.Timeout = 3 * time.Second })
	nodes[0].failFor("getTransaction", tx, silent, "")
	for scan := range 3 {
		before := nodes[0].silenced()
		got, unread := scanSome(t, reader, owners...)
		wantUnits(t, got, 7)
		if len(unread) != len(list) {
			t.Errorf("%d addresses are not read, want %d", len(unread), len(list))
		}
		if asked := nodes[0].silenced() - before; asked > rpc.ParallelCalls {
			t.Errorf("scan %d waited %d times", scan, asked)
		}
		clock.advance(time.Second)
	}
}

// TestScan_SlowNode: a node that takes longer for every transaction than one of many may take is given the whole time.
func TestScan_SlowNode(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	to := h.Address()
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
	h.Mine(1)
	reader, nodes, clock := h.through(t, 1, func(c *solana.Config) { c.Timeout = 3 * time.Second })
	nodes[0].set("getTransaction", func(_, result json.RawMessage) json.RawMessage {
		time.Sleep(750 * time.Millisecond)
		return result
	})
	var got []chain.Transfer
	for scan := 0; scan < 8 && len(got) == 0; scan++ {
		got, _ = scanSome(t, reader, to)
		clock.advance(31 * time.Second)
	}
	wantUnits(t, got, 5)
}

func wantAllReady(t *testing.T, reader *solana.Adapter) {
	t.Helper()
	for _, e := range reader.Endpoints() {
		if !e.Healthy || !e.CoolUntil.IsZero() {
			t.Errorf("%s rests: %s", e.Name, e.Reason)
		}
	}
}

// wantRest makes the nodes silent about everything in the midst of a scan.
func wantRest(t *testing.T, reader *solana.Adapter, nodes []*node, owners []chain.Watched) {
	t.Helper()
	heads := mustHeads(t, reader)
	for _, n := range nodes {
		n.refuse(silent)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	got, _, err := reader.Scan(ctx, 0, heads.Latest, watching(owners...))
	if err == nil {
		t.Errorf("scanned %+v through silent nodes", got)
	}
	for _, e := range reader.Endpoints() {
		if e.CoolUntil.IsZero() {
			t.Errorf("%s is silent and does not rest", e.Name)
		}
	}
}

func (n *node) silenced() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.silences
}
