package sender

import (
	"encoding/json"
	"fmt"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

const (
	someHash  = "0x1f2e3d4c5b6a79881f2e3d4c5b6a79881f2e3d4c5b6a79881f2e3d4c5b6a7988"
	someTopic = "0x000000000000000000000000aabbccddeeff00112233445566778899aabbccdd"
)

// sweepReceiptOf is a receipt in JSON with a log of the factory.
func sweepReceiptOf(status, topic, data, by string) []byte {
	return fmt.Appendf(nil, `{"transactionHash":"%[1]s","blockNumber":"0x10","blockHash":"%[1]s","status":"%[2]s","gasUsed":"0x5208",`+
		`"effectiveGasPrice":"0x3b9aca00","l1Fee":"0x7","logs":[{"address":"%[3]s","topics":["%[4]s","%[5]s","%[5]s"],"data":"%[6]s",`+
		`"blockNumber":"0x10","blockHash":"%[1]s","transactionHash":"%[1]s","transactionIndex":"0x0","logIndex":"0x0","removed":false}]}`,
		someHash, status, by, topic, someTopic, data)
}

const (
	wordOfMillion = "0x00000000000000000000000000000000000000000000000000000000000f4240"
	wordOfReason  = "0x08c379a000000000000000000000000000000000000000000000000000000000"
)

func TestParseSweepReceipt(t *testing.T) {
	t.Parallel()
	id, _ := rpc.ParseHash(someHash)
	r, ok, err := parseSweepReceipt(sweepReceiptOf("0x1", flushedTopic, wordOfMillion, factory.String()), id)
	if err != nil || !ok || len(r.flushes) != 1 || r.flushes[0].failed || r.flushes[0].units.Int64() != 1_000_000 ||
		r.paid.Int64() != 21_000*1_000_000_000+7 {
		t.Errorf("a flush was read as %+v, %v", r, err)
	}
	r, ok, err = parseSweepReceipt(sweepReceiptOf("0x1", flushFailedTopic, wordOfReason, factory.String()), id)
	if err != nil || !ok || !r.flushes[0].failed || r.flushes[0].why() == (flush{}).why() {
		t.Errorf("a failure was read as %+v, %v", r, err)
	}
	if r, ok, err = parseSweepReceipt(sweepReceiptOf("0x1", flushedTopic, wordOfMillion, someTopic[:2]+someTopic[26:]),
		id); err != nil || !ok || len(r.flushes) != 0 {
		t.Errorf("another contract's log was believed: %+v, %v", r, err)
	}
	for name, raw := range map[string][]byte{
		"UnknownEvent": sweepReceiptOf(
			"0x1", rpc.TransferTopic[:10]+flushedTopic[10:], wordOfMillion, factory.String(),
		),
		"ShortData":     sweepReceiptOf("0x1", flushedTopic, "0x01", factory.String()),
		"LogOfAFailure": sweepReceiptOf("0x0", flushedTopic, wordOfMillion, factory.String()),
		"NoAddress":     sweepReceiptOf("0x1", flushedTopic, wordOfMillion, "0x"),
		"NoFee": []byte(`{"transactionHash":"` + someHash + `","blockNumber":"0x10","blockHash":"` + someHash +
			`","status":"0x1","logs":[]}`),
	} {
		if _, _, err := parseSweepReceipt(raw, id); err == nil {
			t.Errorf("%s was read", name)
		}
	}
	if _, ok, err := parseSweepReceipt([]byte("null"), id); ok || err != nil {
		t.Errorf("no receipt was read as one, %v", err)
	}
}

// Any answer of a node is parsed or refused, and the factory's events are parsed as
// go-ethereum parses them.
func FuzzParseSweepReceipt(f *testing.F) {
	for _, topic := range []string{flushedTopic, flushFailedTopic, rpc.TransferTopic} {
		for _, data := range []string{wordOfMillion, wordOfReason, "0x"} {
			f.Add(sweepReceiptOf("0x1", topic, data, factory.String()))
		}
	}
	id, _ := rpc.ParseHash(someHash)
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, ok, err := parseSweepReceipt(raw, id)
		if !ok || err != nil {
			return
		}
		if r.paid.Sign() < 0 {
			t.Fatalf("paid %s", r.paid)
		}
		var whole struct {
			Logs []struct {
				Address common.Address
				Topics  []common.Hash
				Data    string
			}
		}
		if json.Unmarshal(raw, &whole) != nil {
			return // go-ethereum is stricter about what is none of ours
		}
		var events []flush
		binding := contracts.NewForwarderFactory()
		for _, l := range whole.Logs {
			log := &types.Log{Address: l.Address, Topics: l.Topics, Data: common.FromHex(l.Data)}
			if l.Address != contracts.FactoryAddress() || len(l.Topics) == 0 {
				continue
			}
			if e, err := binding.UnpackFlushedEvent(log); err == nil {
				events = append(
					events, flush{forwarder: rpc.Address(e.Forwarder), token: rpc.Address(e.Token), units: e.Amount},
				)
			} else if e, err := binding.UnpackFlushFailedEvent(log); err == nil {
				events = append(events, flush{
					forwarder: rpc.Address(e.Forwarder), token: rpc.Address(e.Token), failed: true,
					reason: e.Reason,
				})
			}
		}
		if len(events) != len(r.flushes) {
			t.Fatalf("%d events, go-ethereum reads %d", len(r.flushes), len(events))
		}
		for i, e := range events {
			got := r.flushes[i]
			if got.forwarder != e.forwarder || got.token != e.token || got.failed != e.failed ||
				got.reason != e.reason ||
				!got.failed && got.units.Cmp(new(big.Int).Set(e.units)) != 0 {
				t.Fatalf("read %+v, go-ethereum reads %+v", got, e)
			}
		}
	})
}

func FuzzParseBaseFee(f *testing.F) {
	for _, block := range []string{
		`null`, `{}`, `{"baseFeePerGas":"0x3b9aca00"}`, `{"baseFeePerGas":"-0x1"}`,
		`{"baseFeePerGas":1}`,
	} {
		f.Add([]byte(block))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if fee, err := parseBaseFee(raw); err == nil && fee.Sign() < 0 {
			t.Fatalf("%q was read as %s", raw, fee)
		}
	})
}
