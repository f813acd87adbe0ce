package chain

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// SweepSender makes and sends the sweep transactions of one network.
// Implementations are safe for concurrent use and fail with fault.Unavailable
// when no endpoint answers.
type SweepSender interface {
	Network() Network
	// Sign builds and signs the transaction that moves the items; it does not
	// send it. previous are the attempts made before: on EVM networks the new
	// one takes the nonce of those that the same gas wallet signed, and pays
	// enough more to replace the last; on Solana Sign is only called when none of
	// them can be included any more. others are the attempts of the network's
	// other sweeps in flight: on EVM networks a first attempt takes the lowest
	// nonce that none of them has.
	// It fails with ErrNoGas when the gas wallet cannot pay, with ErrGasPromised
	// when it cannot pay for others too, with
	// ErrTooExpensive above the operator's price ceiling, and with ErrTooLarge
	// when the items do not fit one transaction.
	Sign(ctx context.Context, items []SweepItem, previous []Attempt, now time.Time, others ...Attempt) (Attempt, error)
	// Broadcast sends the signed bytes to the network. Sending the same bytes
	// twice is not an error.
	Broadcast(ctx context.Context, a Attempt) error
	// Track returns the outcome of the attempts.
	Track(ctx context.Context, items []SweepItem, attempts []Attempt) (SweepOutcome, error)
	// GasWallet returns what the gas wallet holds.
	GasWallet(ctx context.Context) (GasWallet, error)
}

// Reasons why a sweep waits. Payments complete meanwhile.
var (
	ErrNoGas = fault.New(fault.PaymentRequired, "the gas wallet cannot pay for the sweep; send native coin to it")
	// ErrGasPromised: the gas wallet can pay for this sweep, though not beside those in flight.
	ErrGasPromised  = fault.New(fault.Unavailable, "the gas wallet pays for the sweeps in flight first")
	ErrTooExpensive = fault.New(fault.Unavailable, "gas costs more than the operator allows; the sweep waits")
	ErrTooLarge     = fault.New(fault.TooLarge, "the sweep does not fit one transaction")
)

// SweepItem is the money on one deposit address in one asset that a sweep moves.
type SweepItem struct {
	PaymentID  string // the payment's txnid, from which the address derives
	Scheme     AddressScheme
	Address    Watched
	Settlement Address
	Asset      Asset
	Expected   money.Units
	// Accounts are the token accounts that the money may lie on beside the associated one (Solana).
	Accounts []Address
	// Rescue: the operator asked for it. It may be money that no deposit was
	// recorded for: another token, the native coin, another chain.
	Rescue bool
}

// Source returns what the item's address derives from, on the network.
func (i SweepItem) Source(n Network) Settlement {
	return Settlement{Network: n, Wallet: i.Settlement, PaymentID: i.PaymentID, Scheme: i.Scheme}
}

// Attempt is one signed transaction of a sweep. All attempts that one gas wallet
// made for an EVM sweep have the same nonce, so at most one of them can be included.
type Attempt struct {
	N      int
	Tx     TxHash
	Raw    []byte  // the signed bytes, as they are broadcast
	Nonce  uint64  // EVM
	From   Address // EVM: the gas wallet that signed it; only Sign sets it
	Until  uint64  // Solana: the last block height at which it can be included
	Fee    Fee
	MadeAt time.Time
	SentAt time.Time // of the last broadcast; zero before the first
}

// Expires reports whether the attempt can be included for some time only. It
// must not be replaced before that time is over: both could be included.
func (a Attempt) Expires() bool { return a.Until > 0 }

// Fee is what an attempt may cost, in the native coin's smallest unit.
type Fee struct {
	Gas     uint64      // gas limit; compute units on Solana
	Price   money.Units // the most it pays a unit of gas (EVM: maxFeePerGas)
	Tip     money.Units // of which to the producer (EVM: maxPriorityFeePerGas)
	Ceiling money.Units // the most it can cost in all, data fee included
}

// SweepOutcome is the outcome of a sweep's attempts.
type SweepOutcome struct {
	Status  TxStatus
	Tx      TxHash // of TxIncluded, TxFinal and TxReverted
	Block   Head
	Paid    money.Units
	Moved   []Moved
	Unmoved []Unmoved
	// Left is what lies on the addresses of items of which less moved than was
	// expected, after the transaction.
	Left []Moved
	Note string
	// Displaced: no attempt is known, and another transaction has their nonce in
	// a block that is not final. Nothing can be sent until it is final, or gone.
	Displaced bool
}

// Moved is what the chain says a sweep moved from an address.
type Moved struct {
	Address  Address
	Contract Address // empty for the native coin
	Units    money.Units
}

// Unmoved is a token a sweep could not move from an address, such as a frozen one.
type Unmoved struct {
	Address  Address
	Contract Address
	Reason   string
}

// GasWallet is the account that pays for gas.
type GasWallet struct {
	Address Address
	Balance money.Units // native coin
}

// SweepCost is what sweeping one balance costs at today's price of gas, in the native coin's smallest unit: as a
// single, and in a large batch.
type SweepCost struct{ Single, Batched money.Units }
