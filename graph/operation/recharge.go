package operation

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/recharge"
	"github.com/florinpay/florin/internal/secret"
)

// Recharges sells query units.
type Recharges interface {
	// Offered returns why nothing is sold now, or nil.
	Offered() error
	Buy(ctx context.Context, q recharge.Request, wait time.Duration, act audit.Act) (recharge.Recharge, error)
}

const (
	// rechargeWait is how long an answer waits for the credit (spec.md
	// section 8).
	rechargeWait = 30 * time.Second
	// codeAccepted reports that a transfer is not final yet.
	codeAccepted = 202
)

// Recharge buys query units with the wallet registered on the key.
func (o *Operations) Recharge(
	ctx context.Context, apiKey, privateKey secret.Text, units int,
) (*model.RechargeResult, error) {
	key, err := o.caller(ctx, apiKey)
	if err != nil {
		return nil, err
	}
	if err := o.d.Limits.Costly(ctx); err != nil {
		return nil, err
	}
	if err := o.d.Limits.Checks(ctx); err != nil {
		return nil, err
	}
	if units < 1 || units > recharge.MaxUnits {
		return nil, fault.New(fault.Invalid, "unit must be between 1 and %d", recharge.MaxUnits)
	}
	if err := o.holdsWallet(key, privateKey); err != nil {
		return nil, err
	}
	if o.d.Recharges == nil {
		return nil, recharge.ErrNotOffered
	}
	place := scope{keyID: key.ID, operation: "rechargeApiKey"}
	return once(ctx, o, place, units, as, func(w write) (*model.RechargeResult, error) {
		r, err := o.d.Recharges.Buy(chain.AsStranger(ctx), recharge.Request{
			ID: recharge.ID(w.subject), KeyID: key.ID, Units: int64(units), Wallet: key.Wallet, PrivateKey: privateKey,
		}, rechargeWait, o.by(ctx, key))
		if err != nil {
			return nil, err
		}
		return o.recharged(ctx, key, apiKey, r)
	})
}

// recharged returns the state of a recharge.
func (o *Operations) recharged(
	ctx context.Context, key merchant.Key, apiKey secret.Text, r recharge.Recharge,
) (*model.RechargeResult, error) {
	if r.State == recharge.Failed || r.State == recharge.Replaced || r.State == recharge.Abandoned {
		return nil, fault.New(fault.Conflict, "nothing was credited: %s (%s)", r.Note, r.Bytes.Tx).
			Because(fault.ReasonRechargeFailed)
	}
	// The transfer is made: its hash must be reported even if the caller disconnected.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	balance, err := o.d.Merchants.Balance(ctx, key.ID)
	if err != nil {
		return nil, err
	}
	left := int(balance.Queries)
	out := &model.RechargeResult{
		NewBalance: &left, Hash: optional(string(r.Bytes.Tx)),
		APIKey: &model.APIKey{Key: echo(apiKey), QueriesLeft: &left, Wallet: optional(string(key.Wallet))},
	}
	if network, ok := o.d.Payments.Network(chain.BEP20); ok {
		out.BlockchainLink = optional(network.Profile.TxURL(r.Bytes.Tx))
	}
	if r.State != recharge.Credited {
		out.Code = codeAccepted
		out.Message = fmt.Sprintf("the transfer %s is on its way; %d queries are added when it is final", r.Bytes.Tx, r.Units)
	}
	return out, nil
}
