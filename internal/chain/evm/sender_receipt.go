package evm

import (
	"encoding/json"
	"math/big"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/money"
)

// Topics of the factory's events.
var (
	flushedTopic     = hash(crypto.Keccak256Hash([]byte("Flushed(address,address,uint256)"))).String()
	flushFailedTopic = hash(crypto.Keccak256Hash([]byte("FlushFailed(address,address,bytes4)"))).String()
)

// flush is what the factory says it did with one token of one forwarder.
type flush struct {
	forwarder, token address
	failed           bool
	units            *big.Int // of a flush that succeeded
	reason           [4]byte  // of one that failed
}

// sweepReceipt is what Florin reads of the receipt of a sweep.
type sweepReceipt struct {
	receipt
	paid    *big.Int // in wei, all fees included
	flushes []flush
}

// parseSweepReceipt reads the receipt of tx; ok is false for null.
func parseSweepReceipt(raw []byte, tx hash) (r sweepReceipt, ok bool, err error) {
	if r.receipt, ok, err = parseReceipt(raw, tx); err != nil || !ok {
		return sweepReceipt{}, false, err
	}
	var text struct {
		GasUsed, EffectiveGasPrice string
		L1Fee                      *string // OP Stack
		Logs                       json.RawMessage
	}
	if json.Unmarshal(raw, &text) != nil {
		return sweepReceipt{}, false, malformed("receipt")
	}
	gas, okGas := parseBig(text.GasUsed)
	price, okPrice := parseBig(text.EffectiveGasPrice)
	if !okGas || !okPrice {
		return sweepReceipt{}, false, malformed("fee of a receipt")
	}
	r.paid = new(big.Int).Mul(gas, price)
	if text.L1Fee != nil {
		fee, ok := parseBig(*text.L1Fee)
		if !ok {
			return sweepReceipt{}, false, malformed("fee of a receipt")
		}
		r.paid.Add(r.paid, fee)
	}
	err = readLogs(text.Logs, r.takeFlush)
	return r, err == nil, err
}

var factory = address(contracts.FactoryAddress())

// takeFlush takes a log of the factory. The receipt's own logs are read for
// transfers already.
func (r *sweepReceipt) takeFlush(l *logText) error {
	var by address
	if !parseBytes(by[:], l.address) {
		return malformed("a log without address")
	}
	if by != factory {
		return nil
	}
	f, ok := flushOf(l)
	if !ok || r.failed {
		return malformed("a log of the factory that it does not write")
	}
	r.flushes = append(r.flushes, f)
	return nil
}

// flush decodes an event of the factory.
func flushOf(l *logText) (f flush, ok bool) {
	var word hash
	if l.topicCount != 3 || !topicAddress(l.topics[1], &f.forwarder) || !topicAddress(l.topics[2], &f.token) || !parseBytes(word[:], l.data) {
		return flush{}, false
	}
	switch {
	case sameHex(l.topics[0], flushedTopic):
		f.units = new(big.Int).SetBytes(word[:])
	case sameHex(l.topics[0], flushFailedTopic):
		f.failed, f.reason = true, [4]byte(word[:4])
	default:
		return flush{}, false
	}
	return f, true
}

// left returns what the token's own logs say left the forwarder, and what of
// it arrived at the settlement. The factory's word alone is the token's word:
// one that only claims to transfer would be believed.
func (r *sweepReceipt) left(token, forwarder, settlement address) (sum, arrived money.Units) {
	for _, l := range r.logs {
		if !l.transfer || l.entry.contract != token || l.entry.from != forwarder {
			continue
		}
		sum = sum.Add(l.entry.units)
		if l.entry.to == settlement {
			arrived = arrived.Add(l.entry.units)
		}
	}
	return sum, arrived
}

// reasons are what a flush fails with, in words. Of others the four bytes are
// shown.
var reasons = map[[4]byte]string{
	{}: "the token refused the transfer without a reason, or used up the gas it was given",
	[4]byte(crypto.Keccak256([]byte("Error(string)"))):                                     "the token refused the transfer; the address may be frozen or the token paused",
	[4]byte(crypto.Keccak256([]byte("Panic(uint256)"))):                                    "the token failed (panic)",
	[4]byte(crypto.Keccak256([]byte("SafeERC20FailedOperation(address)"))):                 "the token reported that the transfer failed",
	[4]byte(crypto.Keccak256([]byte("NativeTransferFailed()"))):                            "the settlement wallet refused the native coin",
	[4]byte(crypto.Keccak256([]byte("ZeroSettlement()"))):                                  "there is no settlement wallet",
	[4]byte(crypto.Keccak256([]byte("ERC20InsufficientBalance(address,uint256,uint256)"))): "the token reported a balance that is not there",
}

func (f flush) why() string {
	if text, ok := reasons[f.reason]; ok {
		return text
	}
	return "the token refused the transfer with error " + hexText(f.reason[:])
}
