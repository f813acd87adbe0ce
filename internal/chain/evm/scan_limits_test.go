package evm_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm"
)

// history pays each of the addresses once, spread over that many blocks, among
// payments to other addresses.
func (s *script) history(addresses []chain.Watched, blocks, others int) map[chain.TxHash]bool {
	s.t.Helper()
	txs := make(map[chain.TxHash]bool, len(addresses))
	paid := 0
	for i := range blocks {
		for ; paid < len(addresses)*(i+1)/blocks; paid++ {
			txs[s.Pay(chaintest.Payment{To: addresses[paid], Asset: s.Credited(), Units: uint64(paid + 1)})] = true
		}
		for range others {
			s.Pay(chaintest.Payment{To: s.Address(), Asset: s.Credited(), Units: 1})
		}
		s.Mine(1)
	}
	return txs
}

func (s *script) addresses(n int) []chain.Watched {
	list := make([]chain.Watched, n)
	for i := range list {
		list[i] = s.Address()
	}
	return list
}

// mustFind scans the whole chain and expects exactly the transactions.
func (s *script) mustFind(txs map[chain.TxHash]bool, watched ...chain.Watched) []chain.Transfer {
	s.t.Helper()
	got, err := s.scan(0, s.chain.Head(), watched...)
	if err != nil {
		s.t.Fatal(err)
	}
	if len(got) != len(txs) {
		s.t.Fatalf("%d transfers are reported, %d were made", len(got), len(txs))
	}
	for _, tr := range got {
		if !txs[tr.Tx] {
			s.t.Errorf("%+v was never made, or is reported twice", tr)
		}
		delete(txs, tr.Tx)
	}
	return got
}

// Providers refuse a range that is too large in many ways.
func TestScan_RangeLimits(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name     string
		blocks   int
		err      *chaintest.RPCError
		mostAsks int
	}{
		{"Trial", 5, &chaintest.RPCError{Code: -32614, Message: "eth_getLogs is limited to a 5 range"}, 110},
		{"FreeTier", 10, &chaintest.RPCError{
			Code:    -32600,
			Message: "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.",
		}, 60},
		{"Client", 50, nil, 20},
		{"Bare", 17, &chaintest.RPCError{Code: -32005, Message: "limit exceeded"}, 60},
		{"Params", 100, &chaintest.RPCError{Code: -32602, Message: "query exceeds max block range 100"}, 20},
		{"Timeout", 64, &chaintest.RPCError{Code: -32000, Message: "query timeout exceeded"}, 30},
		{"OneBlock", 1, &chaintest.RPCError{Code: -32000, Message: "block range is too wide"}, 320},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScript(t, 1)
			watched := s.addresses(40)
			txs := s.history(watched, 300, 1)
			s.endpoints[0].Set(chaintest.Faults{MaxRange: c.blocks, LimitError: c.err})
			s.mustFind(txs, watched...)
			if asked := s.endpoints[0].Calls("eth_getLogs"); asked > c.mostAsks {
				t.Errorf("asked %d times, expected at most %d", asked, c.mostAsks)
			}
			s.mustFind(map[chain.TxHash]bool{}, s.Address()) // what was learned holds
		})
	}
}

// A provider that gives at most 10,000 logs, and a chain that has more.
func TestScan_ResultLimit(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1)
	watched := s.addresses(1_200) // too many for the node to filter
	txs := s.history(watched, 12, 900)
	s.endpoints[0].Set(chaintest.Faults{MaxResults: 10_000, LimitError: &chaintest.RPCError{
		Code: -32005, Message: "query returned more than 10000 results",
	}})
	s.mustFind(txs, watched...)
}

func TestScan_TopicLimit(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1, 7, 100} {
		t.Run(strconv.Itoa(limit), func(t *testing.T) {
			t.Parallel()
			s := newScript(t, 1)
			watched := s.addresses(300)
			txs := s.history(watched, 5, 3)
			s.endpoints[0].Set(chaintest.Faults{MaxTopics: limit})
			s.mustFind(txs, watched...)
		})
	}
}

// Nodes refuse batches altogether or above a size, and answer them in any order.
func TestScan_BatchLimit(t *testing.T) {
	t.Parallel()
	for _, c := range []chaintest.Faults{
		{MaxBatch: 1},
		{MaxBatch: 1, BatchStatus: 400},
		{MaxBatch: 3, Shuffle: true},
		{Shuffle: true},
		{MaxBatch: 10, BatchStatus: 500},
	} {
		t.Run(fmt.Sprintf("%d_%d_%v", c.MaxBatch, c.BatchStatus, c.Shuffle), func(t *testing.T) {
			t.Parallel()
			s := newScript(t, 1)
			watched := s.addresses(60)
			txs := s.history(watched, 20, 1)
			s.endpoints[0].Set(c)
			s.mustFind(txs, watched...)
			if _, err := s.reader.Heads(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// A range that cannot be requested in small enough pieces is an error.
func TestScan_Impossible(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1)
	watched := s.addresses(1)
	s.history(watched, 3, 3)
	s.endpoints[0].Set(chaintest.Faults{Reject: map[string]*chaintest.RPCError{
		"eth_getLogs": {Code: -32005, Message: "limit exceeded"},
	}})
	if got, err := s.scan(0, s.chain.Head(), watched...); err == nil {
		t.Errorf("a node that refuses every range gave %+v", got)
	}
	if asked := s.endpoints[0].Calls("eth_getLogs"); asked > 20 {
		t.Errorf("asked %d times for three blocks", asked)
	}
}

// After a large range timed out, smaller ones are requested from the node.
func TestScan_SlowNode(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1)
	watched := s.addresses(10)
	txs := s.history(watched, 400, 0)
	var err error
	if s.reader, err = evm.New(evm.Config{
		Profile: s.profile, Endpoints: []string{s.endpoints[0].URL}, Now: s.clock.Now, Timeout: 3 * time.Second,
	}); err != nil {
		t.Fatal(err)
	}
	s.endpoints[0].Set(chaintest.Faults{SlowLogs: 25 * time.Millisecond})
	for range 10 {
		if _, err = s.scan(0, s.chain.Head(), watched...); err == nil {
			break
		}
		s.clock.advance(time.Minute)
	}
	if err != nil {
		t.Fatalf("ranges never became small enough: %v", err)
	}
	s.endpoints[0].Set(chaintest.Faults{})
	s.mustFind(txs, watched...)
}

// After weeks a node no longer knows which block a transaction is in.
func TestScan_ForgottenTransactions(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1)
	first, second := s.Address(), s.Address()
	s.Pay(chaintest.Payment{To: s.Address(), Asset: s.Credited(), Units: 1})
	s.Pay(
		chaintest.Payment{To: first, Asset: s.Credited(), Units: 1},
		chaintest.Payment{To: second, Asset: s.Credited(), Units: 2},
		chaintest.Payment{To: first, Asset: s.Other(), Units: 3},
	)
	s.Mine(30)
	want, err := s.scan(0, s.chain.Head(), first, second)
	if err != nil || len(want) != 3 {
		t.Fatalf("%d transfers, error %v", len(want), err)
	}
	s.endpoints[0].Set(chaintest.Faults{ForgetAfter: 10})
	got, err := s.scan(0, s.chain.Head(), second, first)
	if err != nil || len(got) != 3 {
		t.Fatalf("%d transfers, error %v", len(got), err)
	}
	for i := range want {
		if got[i].Key != want[i].Key || got[i].To != want[i].To || got[i].Units.Cmp(want[i].Units) != 0 {
			t.Errorf("dropped from the index, %+v is reported as %+v", want[i], got[i])
		}
		verdict, err := chain.JudgeAll(t.Context(), s.reader, []chain.Transfer{want[i]}, s.chain.Head())
		if err != nil || verdict != chain.Stands {
			t.Errorf("verdict on a forgotten transaction: %d, %v", verdict, err)
		}
		lie := want[i]
		lie.Units = units(77)
		if verdict, err := chain.JudgeAll(t.Context(), s.reader, []chain.Transfer{lie}, s.chain.Head()); err != nil ||
			verdict == chain.Stands {
			t.Errorf("verdict on a false transfer of a dropped transaction: %d, %v", verdict, err)
		}
	}
}
