package recharge

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/ledger"
)

// Reasons why nothing is sold. Nothing was sent when one is returned.
var (
	ErrNotOffered = fault.New(fault.Unprocessable,
		"rechargeApiKey is not offered here: the operator has not set up BEP20 with USDT and a treasury wallet").Because(fault.ReasonRechargeNotOffered)
	ErrOwnTreasury = fault.New(fault.Unprocessable, "the wallet registered on this API key is the treasury itself").Because(fault.ReasonOwnTreasury)
	ErrBusy        = fault.Retry(fault.Conflict, busyAgain,
		"another recharge from this wallet is still on its way; try again when it is final").Because(fault.ReasonRechargeRunning)
	// ErrUnknown: there is no such recharge.
	ErrUnknown = fault.New(fault.NotFound, "there is no such recharge")
)

// busyAgain is when to try again while another recharge is open.
const busyAgain = 10 * time.Second

// MaxUnits is the most query units bought at once.
const MaxUnits = ledger.MaxRecharge

// Store keeps recharges. Every method is one transaction.
type Store interface {
	// CreateRecharge stores a Signed recharge, or fails with ErrBusy if one of
	// the same wallet is Signed.
	CreateRecharge(ctx context.Context, r Recharge, record audit.Record) error
	// Recharge returns the recharge, or ErrUnknown.
	Recharge(ctx context.Context, id ID) (Recharge, error)
	// RechargeOf returns the wallet's Signed recharge; ok is false without one.
	RechargeOf(ctx context.Context, wallet chain.Address) (r Recharge, ok bool, err error)
	// OpenRecharges counts the Signed recharges.
	OpenRecharges(ctx context.Context) (int64, error)
	// DueRecharges lists recharges whose LookAt has come, the longest due first. One
	// that cannot be read is named in the error, beside the others.
	DueRecharges(ctx context.Context, now time.Time, limit int) ([]Recharge, error)
	// UpdateRecharge locks the recharge, calls decide and stores its Change.
	// decide may run again, so it must have no effects.
	UpdateRecharge(ctx context.Context, id ID, decide func(Recharge) Change) (Recharge, error)
}

// Network is the network that recharges are paid on.
type Network struct {
	Chain chain.TransferSender
	Asset chain.Asset // USDT
	// Treasury is the operator's wallet. Without one nothing is sold, and
	// recharges sold before are still tracked.
	Treasury chain.Address
	// Ready returns nil, or a fault.Unavailable while the network cannot be read
	// or is behind.
	Ready func() error
}
