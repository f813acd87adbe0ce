package evm_test

import (
	"math/big"
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
