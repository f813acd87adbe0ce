package evm_test

import (
	"encoding/json"
	"errors"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm"
)

// fat pays the address that many times, in transactions with many other logs: one
// receipt fits an answer, several in one batch do not.
func (s *script) fat(to chain.Watched, txs, size int) map[chain.TxHash]bool {
	s.t.Helper()
	noise := chaintest.Log{Address: "0x00000000000000000000000000000000000000aa", Topics: []string{}, Data: "0x" +
		strings.Repeat("00", size/2)}
	from := "0x00000000000000000000000000000000000000f1"
	sent := make(map[chain.TxHash]bool, txs)
	for range txs {
		tx := s.chain.Send(chaintest.Tx{To: string(to.Address), Logs: []chaintest.Log{
			chaintest.TransferLog(string(s.Credited().Contract), from, string(to.Address), big.NewInt(1)), noise,
		}})
		sent[chain.TxHash(tx)] = true
		s.chain.Mine(1)
	}
	return sent
}

// Any account can make transactions whose receipts are too large for one batch. They
// are requested in smaller parts, and later requests are as large as before.
func TestScan_FatReceipts(t *testing.T) {
	t.Parallel()
	const size = 20_000
	for name, f := range map[string]chaintest.Faults{
		"Refused":  {MaxAnswer: 2 * size},
		"Partial":  {MaxReplies: 2 * size},
		"TooSlow":  {SlowBatch: time.Second},
		"OneByOne": {MaxAnswer: size},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScript(t, 1)
			s.reader = s.patient(5 * time.Second)
			to := s.Address()
			txs := s.fat(to, 6, size)
			s.endpoints[0].Set(f)
			s.mustFind(txs, to)

			s.endpoints[0].Set(chaintest.Faults{})
			before := s.endpoints[0].Posts()
			many := s.addresses(40)
			s.mustFind(s.history(many, 4, 0), many...)
			if asked := s.endpoints[0].Posts() - before; asked > 8 {
				t.Errorf("%d requests afterwards: batches stay small", asked)
			}
		})
	}
}

// The same with answers beyond what is read of one at most.
func TestScan_ReceiptsBeyondTheLimit(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1)
	s.reader = s.patient(time.Minute)
	to := s.Address()
	s.mustFind(s.fat(to, 6, 12<<20), to)
}

// asksForReceipt reports whether the call is for the receipt of the transaction.
func asksForReceipt(c chaintest.ProviderCall, tx chain.TxHash) bool {
	return c.Method == "eth_getTransactionReceipt" && string(c.Params[0]) == `"`+string(tx)+`"`
}

// TestScan_ReceiptBreaksRequest: a node that breaks off at the receipt of one transaction, whatever else is asked for
// in the request, stays in use: the money of others is read, and so is what the logs of the block show of that one.
func TestScan_ReceiptBreaksRequest(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]chaintest.HTTPAnswer{
		"Status500": {Status: 500, Body: "internal"}, "Status502": {Status: 502, Body: "bad gateway"},
		"Status413": {Status: 413, Body: "too large"}, "Status404": {Status: 404, Body: "not found"},
		"Dropped": {Drop: true}, "Cut": {Status: 200, Body: `[{"jsonrpc":"2.0","id":0,"res`},
		"NoReplies": {Status: 200, Body: "[]"},
	} {
		badReceipt(t, name, "", func(at func(chaintest.ProviderCall) bool) chaintest.Rules {
			return breakingOff(answer, at)
		})
	}
}

// breakingOff answers requests with such calls in place of the node.
func breakingOff(answer chaintest.HTTPAnswer, at func(chaintest.ProviderCall) bool) chaintest.Rules {
	return chaintest.Rules{Request: func(_ int, calls []chaintest.ProviderCall, _ bool) *chaintest.HTTPAnswer {
		if slices.ContainsFunc(calls, at) {
			return &answer
		}
		return nil
	}}
}

// refusing answers calls with an error.
func refusing(answer chaintest.RPCError, at func(chaintest.ProviderCall) bool) chaintest.Rules {
	return chaintest.Rules{Call: func(_ *chaintest.Provider, c chaintest.ProviderCall) *chaintest.ProviderReply {
		if at(c) {
			return &chaintest.ProviderReply{Err: &answer}
		}
		return nil
	}}
}

// TestScan_ReceiptLimited: the same where the node refuses the receipt with an error that reads like that of a rate.
func TestScan_ReceiptLimited(t *testing.T) {
	t.Parallel()
	for _, answer := range []chaintest.RPCError{
		{Code: -32005, Message: "limit exceeded"},
		{Code: -32000, Message: "quota exceeded"},
		{Code: 429, Message: "too many requests"},
	} {
		badReceipt(t, answer.Message, "rate:", func(at func(chaintest.ProviderCall) bool) chaintest.Rules {
			return refusing(answer, at)
		})
	}
}

// TestScan_HeaderLimited: a header that the node refuses so concerns only those who were paid in its block.
func TestScan_HeaderLimited(t *testing.T) {
	t.Parallel()
	p := newProvided(t)
	good, goodTx := p.pay()
	bad, _ := p.pay()
	number := `"0x` + strconv.FormatUint(p.chain.Head().Number, 16) + `"`
	p.Mine(5)
	to := p.heads().Final
	answer := chaintest.RPCError{Code: -32005, Message: "limit exceeded"}
	p.provider.Behave(refusing(answer, func(c chaintest.ProviderCall) bool {
		return c.Method == "eth_getBlockByNumber" && string(c.Params[0]) == number
	}))
	got, err := p.scan(0, to, good.To, bad.To)
	unread, some := errors.AsType[*chain.UnreadError](err)
	if !some || !slices.Equal(unread.Addresses, []chain.Address{bad.To.Address}) ||
		len(got) != 1 || got[0].Tx != goodTx {
		t.Errorf("scanned %+v, %v", got, err)
	}
	if e := p.reader.Endpoints()[0]; !e.Healthy || !e.CoolUntil.IsZero() {
		t.Errorf("the endpoint rests: %+v", e)
	}
}

// badReceipt reads through a node that misbehaves at the receipt of one transaction, alone and beside another one, and
// then at everything, of which something is learnt.
func badReceipt(t *testing.T, name, learnt string, rules func(at func(chaintest.ProviderCall) bool) chaintest.Rules) {
	t.Helper()
	for _, count := range []int{1, 2} {
		p := newProvided(t)
		urls := []string{p.provider.URL, p.endpoints[0].URL}[:count]
		var err error
		if p.reader, err = evm.New(evm.Config{
			Profile: p.profile, Endpoints: urls, Now: p.clock.Now, Clock: p.clock.pauses(), Rate: 25,
		}); err != nil {
			t.Fatal(err)
		}
		good, goodTx := p.pay()
		bad, badTx := p.pay()
		p.Mine(5)
		to := p.heads().Final
		p.provider.Behave(rules(func(c chaintest.ProviderCall) bool { return asksForReceipt(c, badTx) }))
		p.mustFind(map[chain.TxHash]bool{goodTx: true, badTx: true}, good.To, bad.To)
		got, err := p.scan(0, to, bad.To)
		if err != nil || len(got) != 1 {
			t.Fatalf("%s: scanned %+v, %v", name, got, err)
		}
		for range 3 {
			_, _ = p.reader.Find(t.Context(), badTx) // a stranger asks what became of it
			got[0].Source = p.reader.Endpoints()[count-1].Name
			verdict, err := chain.JudgeAll(t.Context(), p.reader, got, to)
			if err != nil || verdict != chain.Stands {
				t.Errorf("%s, %d endpoints: judged %d, %v; want Stands", name, count, verdict, err)
			}
		}
		if e := p.reader.Endpoints()[0]; !e.Healthy || !e.CoolUntil.IsZero() || len(e.Learnt) > 0 {
			t.Errorf("%s: the endpoint rests, or gets less: %+v", name, e)
		}
		p.provider.Behave(rules(func(chaintest.ProviderCall) bool { return true }))
		if _, err := p.reader.Find(t.Context(), badTx); err == nil || p.reader.Endpoints()[0].Healthy {
			t.Errorf("%s: an endpoint that answers nothing is healthy, %v", name, err)
		}
		if e := p.reader.Endpoints()[0]; !strings.Contains(strings.Join(e.Learnt, "; "), learnt) {
			t.Errorf("%s: nothing is learnt of it: %+v", name, e)
		}
	}
}

// patient returns a fresh adapter that waits so long for an answer.
func (s *script) patient(timeout time.Duration) *evm.Adapter {
	s.t.Helper()
	a, err := evm.New(evm.Config{
		Profile: s.profile, Endpoints: []string{s.endpoints[0].URL}, Now: s.clock.Now,
		Timeout: timeout,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

// TestScan_SlowReceipts: receipts that take too long are waited for once, by all that read their blocks, and then a
// while later, each alone: they hold up the money of others no more. Theirs is read by the logs of their blocks, and
// where these take too long, too, when they come in time.
func TestScan_SlowReceipts(t *testing.T) {
	t.Parallel()
	for logsToo, payments := range map[bool]int{false: 6, true: 2} {
		s := newScript(t, 1)
		const patience = 500 * time.Millisecond
		s.reader = s.patient(patience)
		good, goodTx := s.pay()
		watched, slow := []chain.Watched{good.To}, make(map[chain.TxHash]bool)
		for range payments {
			p, tx := s.pay()
			watched, slow[tx] = append(watched, p.To), true
		}
		s.Mine(5)
		found := maps.Clone(slow)
		found[goodTx] = true
		s.endpoints[0].Set(chaintest.Faults{Answer: func(method string, params []json.RawMessage) (any, bool) {
			if method == "eth_getTransactionReceipt" && slow[chain.TxHash(strings.Trim(string(params[0]), `"`))] ||
				logsToo && method == "eth_getLogs" && strings.Contains(string(params[0]), "blockHash") {
				time.Sleep(2 * time.Second)
			}
			return nil, false
		}})
		scan := func() {
			t.Helper()
			if !logsToo {
				s.mustFind(maps.Clone(found), watched...)
				return
			}
			got, err := s.scan(0, s.chain.Head(), watched...)
			unread, some := errors.AsType[*chain.UnreadError](err)
			if !some || len(unread.Addresses) != len(slow) || len(got) != 1 || got[0].Tx != goodTx {
				t.Errorf("found %+v, error %v", got, err)
			}
		}
		scan()
		begin := time.Now()
		for range 5 {
			scan()
		}
		if took := time.Since(begin); took > 2*patience {
			t.Errorf("read again, they were waited for: %s", took)
		}
		s.clock.advance(time.Minute)
		scan()
		s.endpoints[0].Set(chaintest.Faults{})
		s.clock.advance(time.Minute)
		s.mustFind(found, watched...)
	}
}
