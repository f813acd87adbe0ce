package evm_test

import (
	"context"
	"errors"
	"maps"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/fault"
)

// An endpoint that dies in the middle of a long range: another one takes over
// where it was, and nothing is lost or reported twice.
func TestScan_EndpointDiesMidway(t *testing.T) {
	t.Parallel()
	for _, after := range []int{1, 2, 5, 9, 14} {
		s := newScript(t, 2)
		watched := s.addresses(60)
		txs := s.history(watched, 400, 0)
		s.endpoints[0].Set(chaintest.Faults{MaxRange: 5, Down: after})
		got := s.mustFind(txs, watched...)
		if last := got[len(got)-1]; last.Source != s.endpoints[1].Name() {
			t.Errorf("down after %d requests, the last transfer is reported by %s", after, last.Source)
		}
	}
}

func TestScan_LaggingEndpoint(t *testing.T) {
	t.Parallel()
	s := newScript(t, 2)
	p, tx := s.pay()
	s.endpoints[0].Set(chaintest.Faults{Lag: 1})
	got := s.mustFind(map[chain.TxHash]bool{tx: true}, p.To)
	if got[0].Source != s.endpoints[1].Name() {
		t.Errorf("reported by %s, which cannot have it", got[0].Source)
	}
	s.endpoints[1].Set(chaintest.Faults{Lag: 1})
	if _, err := s.scan(0, s.chain.Head(), p.To); !errors.Is(err, chain.ErrNoEndpoint) {
		t.Errorf("all lag: %v, want ErrNoEndpoint", err)
	}
}

// An endpoint stuck on a fork that the chain has left shows logs that no
// longer exist and misses those that do.
func TestScan_StaleFork(t *testing.T) {
	t.Parallel()
	s := newScript(t, 2)
	lost, _ := s.pay()
	s.endpoints[0].Freeze()
	s.Reorg(1, false)
	kept, tx := s.pay()
	s.mustFind(map[chain.TxHash]bool{tx: true}, lost.To, kept.To)
	s.endpoints[1].Set(chaintest.Faults{Down: 1})
	if got, err := s.scan(0, s.chain.Head(), lost.To, kept.To); err == nil {
		t.Errorf("only the stale fork is left, and it gave %+v", got)
	}
}

// The chain is reorganised while it is being scanned.
func TestScan_ReorgInBetween(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"eth_getLogs", "eth_getTransactionReceipt", "eth_getBlockByNumber"} {
		for nth := 1; nth <= 2; nth++ {
			s := newScript(t, 2)
			p, _ := s.pay()
			to := s.chain.Head()
			s.reader = s.adapter()
			var once sync.Once
			s.endpoints[0].Set(chaintest.Faults{OnCall: func(m string, n int) {
				if m == method && n == nth {
					once.Do(func() { s.Reorg(1, false) })
				}
			}})
			got, err := s.scan(0, to, p.To)
			if errors.Is(err, chain.ErrReorged) {
				continue
			}
			if reorged := s.chain.Head().Hash != to.Hash; reorged || err != nil || len(got) != 1 {
				t.Errorf("reorganised before call %d of %s: %d transfers, error %v", nth, method, len(got), err)
			}
		}
	}
}

// Who is named by a malformed log, or is asked for alone where it names nobody, is read through another endpoint, and
// concerns nobody else; nothing is skipped silently.
func TestScan_MalformedLogs(t *testing.T) {
	t.Parallel()
	set := func(key string, value any) func(map[string]any) {
		return func(l map[string]any) { l[key] = value }
	}
	topics := func(change func([]string) []string) func(map[string]any) {
		return func(l map[string]any) { l["topics"] = change(append([]string{}, l["topics"].([]string)...)) }
	}
	hash := "0x" + strings.Repeat("5", 64)
	cases := map[string]func(map[string]any){
		"NoAddress":         func(l map[string]any) { delete(l, "address") },
		"OtherContract":     set("address", "0x00000000000000000000000000000000000000ee"),
		"ShortAddress":      set("address", "0x00"),
		"ThreeTopicsLess":   topics(func(ts []string) []string { return ts[:2] }),
		"FourTopics":        topics(func(ts []string) []string { return append(ts, ts[1]) }),
		"FiveTopics":        topics(func(ts []string) []string { return append(ts, ts[1], ts[1]) }),
		"OtherEvent":        topics(func(ts []string) []string { ts[0] = hash; return ts }),
		"TopicsNull":        set("topics", nil),
		"TopicNumber":       set("topics", []any{1, 2, 3}),
		"DirtyRecipient":    topics(func(ts []string) []string { ts[2] = "0x01" + ts[2][4:]; return ts }),
		"DirtySender":       topics(func(ts []string) []string { ts[1] = "0x01" + ts[1][4:]; return ts }),
		"EmptyData":         set("data", "0x"),
		"LongData":          set("data", "0x"+strings.Repeat("00", 64)),
		"DataNumber":        set("data", 5),
		"BadHexData":        set("data", "0x"+strings.Repeat("zz", 32)),
		"BlockBeforeRange":  set("blockNumber", "0x0"),
		"BlockAfterRange":   set("blockNumber", "0xffff"),
		"BlockNumberNumber": set("blockNumber", 3),
		"NoBlockNumber":     func(l map[string]any) { delete(l, "blockNumber") },
		"NoBlockHash":       set("blockHash", nil),
		"OtherTransaction":  set("transactionHash", hash),
		"NoTransaction":     set("transactionHash", "0x"),
		"HugeIndex":         set("logIndex", "0xfffffffffffffffffff"),
		"NoIndex":           func(l map[string]any) { delete(l, "logIndex") },
		"RemovedText":       set("removed", "no"),
		"OtherAmount":       set("data", "0x"+strings.Repeat("77", 32)),
	}
	for name, alter := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScript(t, 2)
			s.Mine(1)
			p, tx := s.pay()
			s.Mine(1)
			s.endpoints[0].Set(chaintest.Faults{Alter: alter})
			source, sound := s.endpoints[1].Name(), false
			if slices.Contains(receipted, name) {
				source, sound = s.endpoints[0].Name(), true
			}
			got, err := s.scan(1, s.chain.Head(), p.To)
			if err != nil || len(got) != 1 || got[0].Tx != tx || got[0].Source != source {
				t.Fatalf("with a sound endpoint beside it: %+v, error %v", got, err)
			}
			s.endpoints[1].Set(chaintest.Faults{Alter: alter})
			s.clock.advance(time.Minute)
			if got, err := s.scan(1, s.chain.Head(), p.To); (err == nil) != sound {
				t.Errorf("with no sound endpoint: %+v, error %v", got, err)
			}
			if !sound {
				onlyOf(t, alter)
			}
		})
	}
}

// receipted are logs of which the receipt says what they are.
var receipted = []string{"ThreeTopicsLess", "FourTopics", "DirtyRecipient"}

// onlyOf alters the log of one payment, as the only endpoint shows it: it concerns that payment.
func onlyOf(t *testing.T, alter func(map[string]any)) {
	t.Helper()
	s := newScript(t, 1)
	s.Mine(1)
	bad, badTx := s.pay()
	good, tx := s.pay()
	s.Mine(1)
	s.endpoints[0].Set(chaintest.Faults{Alter: func(l map[string]any) {
		if l["transactionHash"] == string(badTx) {
			alter(l)
		}
	}})
	got, err := s.scan(1, s.chain.Head(), bad.To, good.To)
	unread, some := errors.AsType[*chain.UnreadError](err)
	if !some || !slices.Equal(unread.Addresses, []chain.Address{bad.To.Address}) || len(got) != 1 || got[0].Tx != tx {
		t.Errorf("where another payment's log is right: %+v, error %v", got, err)
	}
	if e := s.reader.Endpoints()[0]; !e.Healthy {
		t.Errorf("the endpoint is %+v", e)
	}
}

func TestScan_DuplicateAndRemovedLogs(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1)
	watched := s.addresses(20)
	txs := s.history(watched, 7, 2)
	s.endpoints[0].Set(chaintest.Faults{Duplicate: true})
	s.mustFind(maps.Clone(txs), watched...)
	s.endpoints[0].Set(chaintest.Faults{Alter: func(l map[string]any) { l["removed"] = true }})
	s.mustFind(map[chain.TxHash]bool{}, watched...)
	s.endpoints[0].Set(chaintest.Faults{Alter: func(l map[string]any) {
		l["blockTimestamp"], l["x"] = "0x1", []any{1, map[string]any{"y": nil}}
		delete(l, "removed")
	}})
	s.mustFind(txs, watched...)
}

// A node may give one log of a transaction and leave out another: the receipt
// shows both.
func TestScan_OmittedBesideAnother(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1)
	a, b := s.Address(), s.Address()
	s.Pay(
		chaintest.Payment{To: a, Asset: s.Credited(), Units: 1},
		chaintest.Payment{To: b, Asset: s.Credited(), Units: 2},
	)
	s.Mine(1)
	nth := 0
	s.endpoints[0].Set(chaintest.Faults{Omit: func(map[string]any) bool { nth++; return nth%2 == 0 }})
	got, err := s.scan(0, s.chain.Head(), a, b)
	if err != nil || len(got) != 2 {
		t.Errorf("%+v, error %v", got, err)
	}
}

// phantom is a log of a payment that was never made, in a real block.
func (s *script) phantom(p chaintest.Payment, tx string) map[string]any {
	l := transferLogs(p)[0]
	head := s.chain.Head()
	return map[string]any{
		"address": l.Address, "topics": l.Topics, "data": l.Data, "blockHash": head.Hash,
		"blockNumber": "0x" + new(big.Int).SetUint64(head.Number).Text(16), "transactionHash": tx,
		"transactionIndex": "0x0", "logIndex": "0x0", "removed": false,
	}
}

// A log that is nowhere else is refused. One that a lying endpoint backs with
// a receipt is reported, and another endpoint does not confirm it.
func TestScan_PhantomLogs(t *testing.T) {
	t.Parallel()
	s := newScript(t, 2)
	s.Mine(2)
	p := chaintest.Payment{To: s.Address(), Asset: s.Credited(), Units: 1_000_000}
	tx := "0x" + strings.Repeat("ab", 32)
	log := s.phantom(p, tx)
	s.endpoints[0].Set(chaintest.Faults{Phantom: []map[string]any{log}})
	got, err := s.scan(0, s.chain.Head(), p.To)
	if err != nil || len(got) != 0 {
		t.Fatalf("a log without a receipt: %+v, error %v", got, err)
	}
	s.clock.advance(time.Minute)
	receipt := map[string]any{
		"transactionHash": tx, "blockHash": log["blockHash"], "blockNumber": log["blockNumber"], "status": "0x1",
		"logs": []map[string]any{log},
	}
	s.endpoints[0].Set(chaintest.Faults{
		Phantom: []map[string]any{log}, PhantomReceipts: map[string]map[string]any{tx: receipt},
	})
	got, err = s.scan(0, s.chain.Head(), p.To)
	if err != nil || len(got) != 1 || got[0].Source != s.endpoints[0].Name() {
		t.Fatalf("a log with a false receipt: %+v, error %v", got, err)
	}
	verdict, err := chain.JudgeAll(t.Context(), s.reader, []chain.Transfer{got[0]}, s.chain.Head())
	if err != nil || verdict != chain.Undecided {
		t.Errorf("the other endpoint's verdict on the false log: %d, %v", verdict, err)
	}
}

// A log of a failed transaction is false.
func TestScan_LogOfFailedTransaction(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1)
	p := chaintest.Payment{To: s.Address(), Asset: s.Credited(), Units: 5}
	tx := s.PayFailed(p)
	s.Mine(1)
	s.endpoints[0].Set(chaintest.Faults{Phantom: []map[string]any{s.phantom(p, string(tx))}})
	if got, err := s.scan(0, s.chain.Head(), p.To); err == nil {
		t.Errorf("reported as %+v", got)
	}
}

func TestScan_BrokenAnswers(t *testing.T) {
	t.Parallel()
	cases := map[string]chaintest.Faults{
		"Down":        {Down: 1},
		"ServerError": {Status: 500},
		"BadGateway":  {Status: 502},
		"Redirect":    {Status: 307},
		"NotFound":    {Status: 404},
		"Unauthentic": {Status: 401},
		"TooLarge":    {Status: 413},
		"RateLimit":   {Status: 429, RetryAfter: 7},
		"Truncated":   {Truncate: true},
		"Hangs":       {Hang: time.Minute},
		"WrongChain":  {ChainID: 1},
		"NoBlocks": {Reject: map[string]*chaintest.RPCError{"eth_getBlockByNumber": {
			Code:    -32000,
			Message: "internal error",
		}}},
		"Limited": {Reject: map[string]*chaintest.RPCError{"eth_getBlockByNumber": {
			Code:    -32005,
			Message: "daily request count exceeded, request rate limited",
		}}},
	}
	for name, faults := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScript(t, 2)
			urls := []string{s.endpoints[0].URL, s.endpoints[1].URL}
			var err error
			timeout := time.Minute
			if faults.Hang > 0 {
				timeout = 3 * time.Second // enough for the endpoint that answers
			}
			if s.reader, err = evm.New(evm.Config{
				Profile: s.profile, Endpoints: urls, Now: s.clock.Now, Timeout: timeout, Clock: s.clock.pauses(),
			}); err != nil {
				t.Fatal(err)
			}
			p, tx := s.pay()
			s.endpoints[0].Set(faults)
			s.mustFind(map[chain.TxHash]bool{tx: true}, p.To)
			broken := s.reader.Endpoints()[0]
			if broken.Healthy || broken.Reason == "" || !broken.CoolUntil.After(s.clock.Now()) || broken.Errors == 0 {
				t.Errorf("the broken endpoint is %+v", broken)
			}
			s.endpoints[1].Set(faults)
			s.clock.advance(31 * time.Minute) // until the chain id is asked for again
			_, err = s.scan(0, s.chain.Head(), p.To)
			if !errors.Is(err, chain.ErrNoEndpoint) || !fault.Is(err, fault.Unavailable) {
				t.Errorf("with no endpoint left: %v, want ErrNoEndpoint", err)
			}
			for _, text := range []string{
				err.Error(), s.reader.Endpoints()[0].Reason, s.reader.Endpoints()[0].Name,
				s.reader.Endpoints()[1].Reason,
			} {
				if strings.Contains(text, chaintest.Secret) {
					t.Errorf("shows the endpoint's credentials: %s", text)
				}
			}
		})
	}
}

// A deadline of the caller is not counted against the endpoint.
func TestScan_Deadline(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1)
	s.Mine(1)
	s.endpoints[0].Set(chaintest.Faults{Hang: time.Minute})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := s.reader.Heads(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want DeadlineExceeded", err)
	}
	if e := s.reader.Endpoints()[0]; !e.Healthy {
		t.Errorf("the endpoint is %+v", e)
	}
}
