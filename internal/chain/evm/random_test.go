package evm_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/fault"
)

// world is a scripted chain that changes at random, with every block it ever
// had.
type world struct {
	*script
	r         *rand.Rand
	blocks    map[string]chaintest.Mined // by hash, forks included
	payments  map[chain.TxHash][]chaintest.Payment
	addresses []chain.Watched
	final     chain.Head
}

// Under random faults of endpoints and chain, a scan reports exactly the transfers
// between two blocks or fails, finality never goes back, no false transfer is
// confirmed, and when the faults end every transfer is reported.
func TestReader_RandomFaults(t *testing.T) {
	t.Parallel()
	for seed := range uint64(24) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			w := &world{
				script: newScript(t, 1+int(seed%3)), r: rand.New(rand.NewPCG(seed, 7)),
				blocks: make(map[string]chaintest.Mined), payments: make(map[chain.TxHash][]chaintest.Payment),
			}
			w.addresses = w.script.addresses(4)
			for range 60 {
				w.move()
				w.check()
			}
			w.recover()
		})
	}
}

// move changes the chain, an endpoint, or lets time pass.
func (w *world) move() {
	switch w.r.IntN(8) {
	case 0, 1, 2:
		for range w.r.IntN(3) {
			w.pay()
		}
		w.Mine(1 + w.r.IntN(3))
	case 3:
		w.chain.Drop(1+w.r.IntN(scriptFinalDepth-1), w.r.IntN(2) == 0)
		w.Mine(scriptFinalDepth + w.r.IntN(2))
	case 4, 5:
		e := w.endpoints[w.r.IntN(len(w.endpoints))]
		e.Set(w.fault())
		if w.r.IntN(4) == 0 {
			e.Freeze()
		} else {
			e.Thaw()
		}
	default:
		w.clock.advance(time.Duration(w.r.IntN(90)) * time.Second)
	}
	for _, b := range w.chain.Blocks() {
		w.blocks[b.Hash] = b
	}
}

func (w *world) pay() {
	var payments []chaintest.Payment
	for range 1 + w.r.IntN(3) {
		to := w.addresses[w.r.IntN(len(w.addresses))]
		payments = append(payments, chaintest.Payment{To: to, Asset: w.Credited(), Units: uint64(w.r.IntN(3))})
	}
	w.payments[w.Pay(payments...)] = payments
}

// fault is one way an endpoint can be wrong. It leaves out omitted logs, which
// cannot be noticed with a single endpoint.
func (w *world) fault() chaintest.Faults {
	hash := "0x" + strings.Repeat("9", 64)
	own := rand.New(rand.NewPCG(w.r.Uint64(), 1)) // the hook runs on a goroutine of the endpoint
	lie := chaintest.Payment{To: w.addresses[0], Asset: w.Credited(), Units: 1_000_000}
	faults := []chaintest.Faults{
		{},
		{},
		{},
		{Lag: w.r.IntN(8)},
		{Status: 500},
		{Status: 429, RetryAfter: w.r.IntN(9)},
		{Down: 1},
		{Truncate: true},
		{ChainID: 1},
		{MaxRange: 1 + w.r.IntN(9)},
		{MaxResults: 1 + w.r.IntN(9)},
		{MaxTopics: 1 + w.r.IntN(3)},
		{MaxBatch: 1 + w.r.IntN(4)},
		{Shuffle: true},
		{Duplicate: true},
		{Clamp: true, Lag: w.r.IntN(8)},
		{ForgetAfter: 1 + w.r.IntN(5)},
		{NoLabels: true},
		{Phantom: []map[string]any{w.phantom(lie, hash)}},
		{Alter: func(l map[string]any) { l["data"] = "0x" + strings.Repeat("77", 32) }},
		{Alter: func(l map[string]any) { l["transactionHash"] = hash }},
		{Alter: func(l map[string]any) { l["blockHash"] = hash }},
		{Alter: func(l map[string]any) { delete(l, "topics") }},
		{OnCall: func(string, int) {
			if own.IntN(40) == 0 {
				w.chain.Drop(1, false)
				w.Mine(2)
			}
		}},
	}
	return faults[w.r.IntN(len(faults))]
}

// check reads everything and compares it with the chain.
func (w *world) check() {
	w.t.Helper()
	heads, err := w.reader.Heads(w.t.Context())
	if err != nil {
		w.mustBeFault("Heads", err)
		return
	}
	for _, b := range w.chain.Blocks() {
		w.blocks[b.Hash] = b // an endpoint may have changed the chain just now
	}
	if heads.Final.Number < w.final.Number || heads.Final.Number == w.final.Number && w.final.Hash != "" &&
		heads.Final.Hash != w.final.Hash {
		w.t.Fatalf("final was %+v and is %+v", w.final, heads.Final)
	}
	w.final = heads.Final
	for _, to := range []chain.Head{heads.Latest, heads.Final} {
		from := uint64(w.r.IntN(int(to.Number) + 1))
		got, err := w.scan(from, to, w.addresses...)
		if err != nil {
			w.mustBeFault("Scan", err)
			continue
		}
		w.mustBeTrue(got, from, to)
		if len(got) > 0 {
			w.confirm(got[w.r.IntN(len(got))], heads.Latest)
		}
	}
}

// mustBeFault checks that an error is one to try again after.
func (w *world) mustBeFault(what string, err error) {
	w.t.Helper()
	if !fault.Is(err, fault.Unavailable) {
		w.t.Fatalf("%s: %v", what, err)
	}
}

// mustBeTrue compares the reported transfers with the ancestors of the block.
func (w *world) mustBeTrue(got []chain.Transfer, from uint64, to chain.Head) {
	w.t.Helper()
	truth := make(map[string]int)
	for b, ok := w.blocks[to.Hash]; ok && b.Number >= from; b, ok = w.blocks[b.Parent] {
		for _, tx := range b.Txs {
			for ordinal, p := range w.payments[tx] {
				if p.Units > 0 {
					truth[fmt.Sprintf("%s/%d %s %d in %s", tx, ordinal, p.To.Address, p.Units, b.Hash)]++
				}
			}
		}
		if b.Number == 0 {
			break
		}
	}
	for _, tr := range got {
		name := fmt.Sprintf("%s/%d %s %s in %s", tr.Tx, tr.Ordinal, tr.To, tr.Units, tr.Block.Hash)
		if truth[name] != 1 {
			w.t.Fatalf("blocks %d to %d: %s is reported %d times too often", from, to.Number, name, 1-truth[name])
		}
		delete(truth, name)
	}
	if len(truth) > 0 {
		w.t.Fatalf("blocks %d to %d: not reported: %v", from, to.Number, truth)
	}
}

// confirm confirms a true transfer and a false one.
func (w *world) confirm(tr chain.Transfer, at chain.Head) {
	w.t.Helper()
	if _, err := chain.JudgeAll(w.t.Context(), w.reader, []chain.Transfer{tr}, at); err != nil &&
		!errors.Is(err, chain.ErrReorged) {
		w.mustBeFault("Judge", err)
	}
	tr.Units = tr.Units.Add(units(1))
	if v, err := chain.JudgeAll(w.t.Context(), w.reader, []chain.Transfer{tr}, at); v == chain.Stands {
		w.t.Fatalf("a false transfer was confirmed, error %v", err)
	}
}

// recover ends all faults and expects every transfer to be reported.
func (w *world) recover() {
	w.t.Helper()
	for _, e := range w.endpoints {
		e.Set(chaintest.Faults{})
		e.Thaw()
	}
	w.clock.advance(time.Hour)
	w.Mine(1)
	heads := w.heads()
	for _, b := range w.chain.Blocks() {
		w.blocks[b.Hash] = b
	}
	got, err := w.scan(0, heads.Latest, w.addresses...)
	if err != nil || heads.Latest != w.chain.Head() {
		w.t.Fatalf("all is well, and the newest block is %+v, error %v", heads.Latest, err)
	}
	w.mustBeTrue(got, 0, heads.Latest)
	for _, e := range w.reader.Endpoints()[:1] {
		if !e.Healthy {
			w.t.Errorf("all is well, and an endpoint is %+v", e)
		}
	}
}
