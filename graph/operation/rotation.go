package operation

import (
	"context"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/account"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/credit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
)

// Rotation replaces keys.
type Rotation interface {
	ReplaceKey(ctx context.Context, key account.Key, entries []credit.Entry) (account.Key, secret.Text, error)
}

// Wallets tells which EVM wallet a private key belongs to. It keeps nothing.
type Wallets interface {
	// WalletOf fails with fault.Invalid for what is no private key.
	WalletOf(privateKey secret.Text) (chain.Address, error)
	// SignerOf tells who signed a message (EIP-191); it fails with
	// fault.Invalid for what is no signature.
	SignerOf(message, signature string) (chain.Address, error)
}

// Refusals of a rotation.
var (
	errNoWallet    = fault.New(fault.Conflict, "no wallet is registered on this API key; replace it in the dashboard")
	errWrongSigner = fault.New(fault.Forbidden, "the signature is not by the wallet registered on this API key")
	errWrongWallet = fault.New(fault.Forbidden, "the private key does not belong to the wallet registered on this API key")
)

// RevokeKey replaces the key for whoever holds the private key of its wallet.
// It takes one credit.
func (o *Operations) RevokeKey(ctx context.Context, apiKey, privateKey secret.Text) (*model.RevokeResult, error) {
	key, err := o.caller(ctx, apiKey)
	if err != nil {
		return nil, err
	}
	if err := o.d.Limits.Costly(ctx); err != nil {
		return nil, err
	}
	if err := o.holdsWallet(key, privateKey); err != nil {
		return nil, err
	}
	return o.replaceKey(ctx, key, apiKey, "revokeApiKey")
}

// replaceKey gives the key a new text for one credit.
func (o *Operations) replaceKey(ctx context.Context, key account.Key, apiKey secret.Text, name string) (*model.RevokeResult, error) {
	now := o.d.Now()
	ref := name + ":" + string(o.d.NewID(now))
	key, text, err := o.d.Rotation.ReplaceKey(ctx, key, []credit.Entry{credit.Spend(key.ID, credit.Credit, credit.ReasonOperation, ref, now)})
	if err != nil {
		return nil, err
	}
	o.audit(ctx, key, account.ActionRotateKey, named(key), name)
	out := &model.RevokeResult{
		NewAPIKey: optional(text.Reveal()), APIKey: &model.APIKey{Key: echo(apiKey), Wallet: optional(string(key.Wallet))},
	}
	// The key is replaced: its new text must be told, whatever else fails.
	if balance, err := o.d.Accounts.Balance(ctx, key.ID); err == nil {
		left := int(balance.Credits)
		out.APIKey.CreditsLeft = &left
	} else {
		o.d.Log.ErrorContext(ctx, "the balance of a replaced key could not be read", "error", err)
	}
	return out, nil
}

// holdsWallet checks that the private key belongs to the key's wallet.
func (o *Operations) holdsWallet(key account.Key, privateKey secret.Text) error {
	if key.Wallet == "" {
		return errNoWallet
	}
	if privateKey.Empty() {
		return fault.New(fault.Invalid, "privateKey is required")
	}
	wallet, err := o.d.Wallets.WalletOf(privateKey)
	if err != nil {
		return err
	}
	if wallet != key.Wallet {
		return errWrongWallet
	}
	return nil
}
