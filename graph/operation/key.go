package operation

import (
	"context"
	"errors"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
)

// CreditsLeft returns how many credits the key has.
func (o *Operations) CreditsLeft(ctx context.Context, apiKey secret.Text) (*model.CreditsResult, error) {
	key, err := o.caller(ctx, apiKey, merchant.PermissionRead)
	if err != nil {
		return nil, err
	}
	balance, err := o.d.Merchants.Balance(ctx, key.ID)
	if err != nil {
		return nil, err
	}
	custodian, err := o.custodianName(ctx, key.ID)
	if err != nil {
		return nil, err
	}
	left := int(balance.Credits)
	return &model.CreditsResult{CreditsLeft: &left, APIKey: &model.APIKey{
		Key: echo(apiKey), Wallet: optional(string(key.Wallet)), CreditsLeft: &left,
		UserID: optional(key.UserPublic), CreatedAt: at(key), Custodian: custodian,
	}}, nil
}

// QueriesLeft returns how many queries the key has.
func (o *Operations) QueriesLeft(ctx context.Context, apiKey secret.Text) (*model.QueriesResult, error) {
	key, err := o.caller(ctx, apiKey, merchant.PermissionRead)
	if err != nil {
		return nil, err
	}
	balance, err := o.d.Merchants.Balance(ctx, key.ID)
	if err != nil {
		return nil, err
	}
	left := int(balance.Queries)
	return &model.QueriesResult{QueriesLeft: &left, APIKey: &model.APIKey{
		ID:  optional(key.PublicID),
		Key: echo(apiKey), FirstName: optional(key.FirstName), LastName: optional(key.LastName),
		Email: optional(key.Email), Wallet: optional(string(key.Wallet)), QueriesLeft: &left, CreatedAt: at(key),
	}}, nil
}

// custodianName returns the key's custodian in brief, nil if it has none.
func (o *Operations) custodianName(ctx context.Context, keyID int64) (*model.CustodianName, error) {
	c, err := o.d.Merchants.Custodian(ctx, keyID)
	if errors.Is(err, merchant.ErrNoCustodian) {
		return nil, nil //nolint:nilnil // none is an answer
	}
	if err != nil {
		return nil, err
	}
	return &model.CustodianName{ID: c.PublicID, Name: optional(c.Name)}, nil
}

// echo returns to the caller the key they sent. Florin stores only its hash, so
// the key is never shown to another user.
func echo(apiKey secret.Text) *string {
	text := apiKey.Reveal()
	return &text
}

func at(key merchant.Key) *model.DateTime {
	t := model.At(key.CreatedAt)
	return &t
}
