package sender

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/money"
)

// Topics of the factory's events.
var (
	flushedTopic     = rpc.Hash(crypto.Keccak256Hash([]byte("Flushed(address,address,uint256)"))).String()
	flushFailedTopic = rpc.Hash(crypto.Keccak256Hash([]byte("FlushFailed(address,address,bytes4)"))).String()
)

// flush is an event of the factory about one token of one forwarder.
type flush struct {
	forwarder, token rpc.Address
	failed           bool
	units            *big.Int // of a flush that succeeded
	reason           [4]byte  // of one that failed
}

// sweepReceipt is the part of a sweep's receipt that Florin reads.
type sweepReceipt struct {
	rpc.Receipt
	paid    *big.Int // in wei, all fees included
	flushes []flush
}

// parseSweepReceipt reads the receipt of tx; ok is false for null.
func parseSweepReceipt(raw []byte, tx rpc.Hash) (r sweepReceipt, ok bool, err error) {
	if r.Receipt, ok, err = rpc.ParseReceipt(raw, tx); err != nil || !ok {
		return sweepReceipt{}, false, err
	}
	var text struct {
		GasUsed, EffectiveGasPrice string
		L1Fee                      *string // OP Stack
		Logs                       json.RawMessage
	}
	if json.Unmarshal(raw, &text) != nil {
		return sweepReceipt{}, false, rpc.Malformed("receipt")
	}
	gas, okGas := rpc.ParseBig(text.GasUsed)
	price, okPrice := rpc.ParseBig(text.EffectiveGasPrice)
	if !okGas || !okPrice {
		return sweepReceipt{}, false, rpc.Malformed("fee of a receipt")
	}
	r.paid = new(big.Int).Mul(gas, price)
	if text.L1Fee != nil {
		fee, ok := rpc.ParseBig(*text.L1Fee)
		if !ok {
			return sweepReceipt{}, false, rpc.Malformed("fee of a receipt")
		}
		r.paid.Add(r.paid, fee)
	}
	err = rpc.ReadLogs(text.Logs, r.takeFlush)
	return r, err == nil, err
}

var factory = rpc.Address(contracts.FactoryAddress())

// takeFlush keeps a log if it is the factory's.
func (r *sweepReceipt) takeFlush(l *rpc.RawLog) error {
	var by rpc.Address
	if !rpc.ParseBytes(by[:], l.Address) {
		return rpc.Malformed("a log without address")
	}
	if by != factory {
		return nil
	}
	f, ok := flushOf(l)
	if !ok || r.Failed {
		return rpc.Malformed("a log of the factory that it does not write")
	}
	r.flushes = append(r.flushes, f)
	return nil
}

// flush decodes an event of the factory.
func flushOf(l *rpc.RawLog) (f flush, ok bool) {
	var word rpc.Hash
	if l.TopicCount != 3 || !rpc.TopicAddress(l.Topics[1], &f.forwarder) || !rpc.TopicAddress(l.Topics[2], &f.token) ||
		!rpc.ParseBytes(word[:], l.Data) {
		return flush{}, false
	}
	switch {
	case rpc.SameHex(l.Topics[0], flushedTopic):
		f.units = new(big.Int).SetBytes(word[:])
	case rpc.SameHex(l.Topics[0], flushFailedTopic):
		f.failed, f.reason = true, [4]byte(word[:4])
	default:
		return flush{}, false
	}
	return f, true
}

// left returns the units that left the forwarder by the token's own logs, and
// how many of them arrived at the settlement wallet. The factory's event repeats
// what the token returned: without the logs, a token that only claims to
// transfer would be believed.
func (r *sweepReceipt) left(token, forwarder, settlement rpc.Address) (sum, arrived money.Units) {
	for _, l := range r.Logs {
		if !l.IsTransfer || l.Transfer.Contract != token || l.Transfer.From != forwarder {
			continue
		}
		sum = sum.Add(l.Transfer.Units)
		if l.Transfer.To == settlement {
			arrived = arrived.Add(l.Transfer.Units)
		}
	}
	return sum, arrived
}

// reasons explains the error selectors of failed flushes. Of others the four
// bytes are shown.
var reasons = map[[4]byte]string{
	{}: "the token refused the transfer without a reason, or used up the gas it was given",
	[4]byte(crypto.Keccak256([]byte("Error(string)"))):                     "the token refused the transfer; the address may be frozen or the token paused",
	[4]byte(crypto.Keccak256([]byte("Panic(uint256)"))):                    "the token failed (panic)",
	[4]byte(crypto.Keccak256([]byte("SafeERC20FailedOperation(address)"))): "the token reported that the transfer failed",
	[4]byte(crypto.Keccak256([]byte("NativeTransferFailed()"))):            "the settlement wallet refused the native coin",
	[4]byte(
		crypto.Keccak256([]byte("ZeroSettlement()")),
	): "there is no settlement wallet",
	[4]byte(crypto.Keccak256([]byte("ERC20InsufficientBalance(address,uint256,uint256)"))): "the token reported a balance that is not there",
}

// refusal says why a token refused a transfer. An error that a token gives for each account on its issuer's list does
// not say which it was, so the token is asked for transfers of nothing: if it takes one of the gas wallet to itself,
// the account that it refuses beside it is the one.
func (s *Sweeps) refusal(ctx context.Context, f flush, settlement rpc.Address) string {
	gas := rpc.Address(s.signer.Address())
	nothing := func(from, to rpc.Address) rpc.Call {
		return rpc.NewCall("eth_call", map[string]string{
			"from": from.String(), "to": f.token.String(),
			"data": "0x" + transferSelector + hex.EncodeToString(common.LeftPadBytes(to[:], 32)) + strings.Repeat("0", 64),
		}, "latest")
	}
	var refuses [3]bool
	err := s.pool.Do(ctx, func(ctx context.Context, e *rpc.Endpoint) error {
		replies, err := e.Ask(ctx, nothing(gas, gas), nothing(gas, settlement), nothing(f.forwarder, gas))
		for i, r := range replies {
			if refuses[i] = r.Err != nil; refuses[i] && !rpc.Reverted(r.Err) {
				return rpc.CallError(r.Err)
			}
		}
		return err
	})
	switch {
	case f.token == rpc.Address{} || err != nil || refuses[0]:
		return f.why()
	case refuses[1]:
		return "the token refuses the settlement wallet " + string(s.text(settlement)) + ", which its issuer may have blocked"
	case refuses[2]:
		return "the token refuses the deposit address, which its issuer may have frozen"
	}
	return f.why()
}

func (f flush) why() string {
	if text, ok := reasons[f.reason]; ok {
		return text
	}
	return "the token refused the transfer with error " + rpc.Hex(f.reason[:])
}
