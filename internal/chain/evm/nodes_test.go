package evm_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
)

// Several nodes answer behind one address, some of them lag: in any combination,
// money is reported or the scan fails. With single calls this relies on nodes
// refusing ranges beyond their head; with batches, on the block that is requested
// with the logs.
func TestScan_SeveralNodesBehindOneAddress(t *testing.T) {
	t.Parallel()
	for behind := range 4 { // which of four requests the node that lags answers
		for _, batch := range []int{0, 1} {
			s := newScript(t, 1)
			s.Mine(3)
			p, tx := s.pay()
			s.endpoints[0].Set(chaintest.Faults{MaxBatch: batch, Clamp: batch == 0, LagAt: func(request int) int {
				if request%4 == behind {
					return 1
				}
				return 0
			}})
			reported := 0
			for range 40 {
				got, err := s.scan(0, s.chain.Head(), p.To)
				if err == nil && (len(got) != 1 || got[0].Tx != tx) {
					t.Fatalf("node %d of 4 lags, batches of %d: reported is %+v", behind, batch, got)
				}
				reported += len(got)
			}
			if reported == 0 && batch == 0 {
				t.Errorf("node %d of 4 lags: never reported", behind)
			}
		}
	}
}

func TestHeads_SeveralNodesBehindOneAddress(t *testing.T) {
	t.Parallel()
	for _, tag := range []chain.FinalityTag{chain.TagFinalized, chain.TagSafe} {
		s := newScript(t, 1, func(p *chain.Profile) { p.Finality = chain.Finality{Tag: tag} })
		s.Mine(20)
		s.endpoints[0].Set(chaintest.Faults{MaxBatch: 1, LagAt: func(request int) int { return request * 5 % 7 }})
		var final uint64
		for range 60 {
			h, err := s.reader.Heads(t.Context())
			if err != nil {
				s.clock.advance(time.Minute)
				continue
			}
			if h.Finalized.Number > h.Final.Number || h.Final.Number > h.Latest.Number || h.Finalized.Number < final {
				t.Fatalf("%s: heads are %+v, %d was final", tag, h, final)
			}
			final = h.Finalized.Number
			s.Mine(1)
		}
		if final < 20 {
			t.Errorf("%s: only %d blocks became final", tag, final)
		}
	}
}

// A log that pays another address is checked like those that pay watched ones. Because of an error in it the blocks are
// asked for by recipients, so that it hides nobody's money.
func TestScan_MalformedOtherLogs(t *testing.T) {
	t.Parallel()
	for name, alter := range map[string]func(map[string]any){
		"OtherContract": func(l map[string]any) { l["address"] = "0x00000000000000000000000000000000000000ee" },
		"AfterRange":    func(l map[string]any) { l["blockNumber"] = "0xff" },
		"BeforeRange":   func(l map[string]any) { l["blockNumber"] = "0x0" },
		"NoNumber":      func(l map[string]any) { l["blockNumber"] = "" },
		"OtherEvent":    func(l map[string]any) { l["topics"] = []string{"0x" + strings.Repeat("1", 64), "0x", "0x"} },
		"DirtyRecipient": func(l map[string]any) {
			l["topics"] = append(l["topics"].([]string)[:2:2], "0x"+strings.Repeat("1", 64))
		},
		"NoTopics": func(l map[string]any) { l["topics"] = []string{} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScript(t, 1)
			s.Mine(1)
			_, other := s.pay()
			p, tx := s.pay()
			watched := append(s.addresses(1_200), p.To)
			var altered atomic.Bool
			s.endpoints[0].Set(chaintest.Faults{Alter: func(l map[string]any) {
				if l["transactionHash"] == string(other) {
					alter(l)
					altered.Store(true)
				}
			}})
			got, err := s.scan(1, s.chain.Head(), watched...)
			if err != nil || len(got) != 1 || got[0].Tx != tx || !altered.Load() {
				t.Errorf("reported is %+v, %v; altered %t", got, err, altered.Load())
			}
		})
	}
}

// A true log of a block that was not requested would be reported twice.
func TestScan_LogOutsideRange(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1)
	s.Mine(3)
	to := s.chain.Head()
	p, tx := s.pay()
	log := s.phantom(p, string(tx))
	s.endpoints[0].Set(chaintest.Faults{Phantom: []map[string]any{log}})
	if got, err := s.scan(0, to, p.To); err == nil {
		t.Errorf("up to the block before it, reported is %+v", got)
	}
}

// Transfers of nothing cause no further requests.
func TestScan_ZeroValueIsNotLookedUp(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1)
	to := s.Address()
	for range 20 {
		s.Pay(chaintest.Payment{To: to, Asset: s.Credited()})
	}
	s.Mine(1)
	s.mustFind(map[chain.TxHash]bool{}, to)
	if asked := s.endpoints[0].Calls("eth_getTransactionReceipt"); asked != 0 {
		t.Errorf("asked for %d receipts", asked)
	}
}

// Logs, receipts and blocks that name different blocks: nothing of it counts.
func TestScan_DisagreeingBlocks(t *testing.T) {
	t.Parallel()
	other := "0x" + strings.Repeat("8", 64)
	for name, faults := range map[string]func(s *script, p chaintest.Payment, tx chain.TxHash) chaintest.Faults{
		"Receipt": func(s *script, p chaintest.Payment, tx chain.TxHash) chaintest.Faults {
			log := s.phantom(p, string(tx))
			log["blockHash"] = other
			return chaintest.Faults{PhantomReceipts: map[string]map[string]any{string(tx): {
				"transactionHash": string(tx), "blockHash": other, "blockNumber": log["blockNumber"], "status": "0x1",
				"logs": []map[string]any{log},
			}}}
		},
		"BlockHash": func(s *script, _ chaintest.Payment, _ chain.TxHash) chaintest.Faults {
			number := s.phantom(chaintest.Payment{To: s.Address(), Asset: s.Credited()}, other)["blockNumber"]
			return chaintest.Faults{AlterBlock: func(b map[string]any) {
				if b["number"] == number {
					b["hash"] = other
				}
			}}
		},
		"BlockNumber": func(*script, chaintest.Payment, chain.TxHash) chaintest.Faults {
			return chaintest.Faults{AlterBlock: func(b map[string]any) { b["number"] = "0x63" }}
		},
		"NoTime": func(*script, chaintest.Payment, chain.TxHash) chaintest.Faults {
			return chaintest.Faults{AlterBlock: func(b map[string]any) { delete(b, "timestamp") }}
		},
		"FarTime": func(*script, chaintest.Payment, chain.TxHash) chaintest.Faults {
			return chaintest.Faults{AlterBlock: func(b map[string]any) { b["timestamp"] = "0xffffffffffffffff" }}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScript(t, 2)
			p, tx := s.pay()
			broken := faults(s, p, tx)
			s.Mine(1)
			s.endpoints[0].Set(broken)
			s.mustFind(map[chain.TxHash]bool{tx: true}, p.To)
			s.endpoints[1].Set(broken)
			s.clock.advance(time.Minute)
			if got, err := s.scan(0, s.chain.Head(), p.To); err == nil {
				t.Errorf("reported is %+v", got)
			}
		})
	}
}

// A receipt that names a block the chain does not have confirms nothing.
func TestJudge_ReceiptOfNoBlock(t *testing.T) {
	t.Parallel()
	s := newScript(t, 2)
	p, tx := s.pay()
	log := s.phantom(p, string(tx))
	s.Mine(2)
	got := s.mustFind(map[chain.TxHash]bool{tx: true}, p.To)
	log["blockHash"] = "0x" + strings.Repeat("8", 64)
	s.endpoints[1].Set(chaintest.Faults{PhantomReceipts: map[string]map[string]any{string(tx): {
		"transactionHash": string(tx), "status": "0x1", "logs": []map[string]any{log},
		"blockHash": log["blockHash"], "blockNumber": log["blockNumber"],
	}}})
	if v, err := chain.JudgeAll(t.Context(), s.reader, []chain.Transfer{got[0]}, s.chain.Head()); v == chain.Stands {
		t.Errorf("verdict %d, error %v", v, err)
	}
}

// What the failing endpoint knew is not forgotten: the one that is left keeps
// counting as behind until it has caught up.
func TestHeads_RemembersTheFarther(t *testing.T) {
	t.Parallel()
	s := newScript(t, 2)
	s.Mine(10)
	s.chain.PinFinal() // so that only the newest block shows it
	s.heads()
	s.endpoints[0].Set(chaintest.Faults{Status: 500})
	s.endpoints[1].Set(chaintest.Faults{Lag: 2})
	for range 4 {
		s.heads()
	}
	if e := s.reader.Endpoints()[1]; e.Healthy {
		t.Errorf("the endpoint that is behind is %+v", e)
	}
	s.endpoints[1].Set(chaintest.Faults{})
	if h := s.heads(); h.Latest.Number != 10 || !s.reader.Endpoints()[1].Healthy {
		t.Errorf("caught up, heads are %+v", h)
	}
}

// A redirection would take the credentials to another host.
func TestEndpoints_NoRedirects(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(elsewhere.Close)
	s := newScript(t, 1)
	s.endpoints[0].Set(chaintest.Faults{Redirect: elsewhere.URL})
	if _, err := s.reader.Heads(t.Context()); !errors.Is(err, chain.ErrNoEndpoint) {
		t.Errorf("error %v, want ErrNoEndpoint", err)
	}
	if reached.Load() != 0 {
		t.Error("a redirection was followed")
	}
}
