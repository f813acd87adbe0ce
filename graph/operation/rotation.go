package operation

import (
	"context"
	"errors"
	"strings"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
)

// Refusals of a rotation.
var (
	errNoWallet    = fault.New(fault.Conflict, "no wallet is registered on this API key; the dashboard replaces it without one, and makes keys that have one").Because(fault.ReasonNoRegisteredWallet)
	errWrongSigner = fault.New(fault.Forbidden, "the signature is not by the wallet registered on this API key")
	errWrongWallet = fault.New(fault.Forbidden, "the private key does not belong to the wallet registered on this API key")
)

// RevokeKey replaces the key for a caller who has the private key of its wallet.
// It takes one credit.
func (o *Operations) RevokeKey(ctx context.Context, apiKey, privateKey secret.Text) (*model.RevokeResult, error) {
	key, err := o.caller(ctx, apiKey)
	if errors.Is(err, merchant.ErrBadKey) {
		return o.replacedBefore(ctx, apiKey, revocation, o.revoking(apiKey, privateKey))
	}
	if err != nil {
		return nil, err
	}
	if err := o.d.Limits.Costly(ctx); err != nil {
		return nil, err
	}
	if err := o.holdsWallet(key, privateKey); err != nil {
		return nil, err
	}
	return o.replaceKey(ctx, key, revocation, o.revoking(apiKey, privateKey))
}

const revocation = "revokeApiKey"

// revoking is what is read of a request to replace a key: which, and the wallet that it proves to hold. A text that is
// no private key is no wallet's, and proves nothing.
func (o *Operations) revoking(apiKey, privateKey secret.Text) [2]string {
	wallet, err := o.d.Wallets.WalletOf(privateKey)
	if err != nil {
		wallet = ""
	}
	return [2]string{strings.TrimSpace(apiKey.Reveal()), string(wallet)}
}

// replaceKey gives the key a new text for one credit. The answer is kept in
// the same transaction: a repetition of the request cannot be run again.
func (o *Operations) replaceKey(
	ctx context.Context, key merchant.Key, name string, read any,
) (*model.RevokeResult, error) {
	answer := func(r merchant.Replaced) *model.RevokeResult {
		credits := int(r.Left.Credits)
		return &model.RevokeResult{
			NewAPIKey: optional(r.Text.Reveal()),
			APIKey: &model.APIKey{
				Key: optional(r.Text.Reveal()), Wallet: optional(string(key.Wallet)), CreditsLeft: &credits,
			},
		}
	}
	return once(ctx, o, scope{keyID: key.ID, operation: name}, read, answer, func(w write) (merchant.Replaced, error) {
		costs := o.d.Merchants.Meter().Charge(
			ledger.Spend(key.ID, ledger.Credit, ledger.ReasonOperation, name+":"+string(w.subject), o.d.Now()),
		)
		text, left, err := o.d.Merchants.ReplaceKey(ctx, key, key.Permissions, costs, name, w.keptBy(o.by(ctx, key)))
		return merchant.Replaced{Text: text, Left: left}, err
	})
}

// replacedBefore answers a request whose key is not valid. If it repeats the
// request that replaced the key, with its Idempotency-Key, it gets the same
// answer. The body proves again that the caller holds the wallet, so the old key
// alone reveals nothing.
func (o *Operations) replacedBefore(
	ctx context.Context, apiKey secret.Text, name string, read any,
) (*model.RevokeResult, error) {
	call := CallOf(ctx)
	if call.IdempotencyKey == "" {
		return nil, merchant.ErrBadKey
	}
	if err := o.d.Limits.Costly(ctx); err != nil {
		return nil, err
	}
	place := scope{operation: name}
	request, err := place.request(read)
	if err != nil {
		return nil, err
	}
	var answer idempotency.Answer
	place.keyID, answer, err = o.d.Merchants.RetiredAnswer(
		ctx, apiKey.Reveal(), place.name(call.IdempotencyKey), request,
	)
	if err != nil {
		return nil, err
	}
	return replay[model.RevokeResult](o, call, place, answer)
}

// holdsWallet checks that the private key belongs to the key's wallet.
func (o *Operations) holdsWallet(key merchant.Key, privateKey secret.Text) error {
	if key.Wallet == "" {
		return errNoWallet
	}
	if privateKey.Empty() {
		return fault.New(fault.Invalid, "privateKey is required")
	}
	wallet, err := o.d.Wallets.WalletOf(privateKey)
	if err != nil {
		return fault.Within("privateKey", err)
	}
	if wallet != key.Wallet {
		return errWrongWallet
	}
	return nil
}
