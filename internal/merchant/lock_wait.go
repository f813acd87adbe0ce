package merchant

import (
	"context"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

// What waits on a locked account although it moves no money by itself: a thief with the session, the password and a
// code of an owner would go on from there.

// WaitReplaceKey returns a new text of the key, which takes the place of the old one after LockDelay, unless an owner
// stops it. It fails as Wait does.
func (s *Service) WaitReplaceKey(ctx context.Context, key Key, act audit.Act) (secret.Text, error) {
	text, hash := identity.APIKey.New(s.opts.Random)
	return text, s.Wait(ctx, Waiting{
		MerchantID: key.UserID, KeyID: key.ID, Kind: WaitingRotation,
		Changes: []string{
			mail.T("a new text of the API key “{{.Key}}”; the old one fails then", "Key", key.Name()).Kept(),
		},
	}, NewSettings{Old: key.Hash, Next: hash}, key.Name(), act)
}

// WaitSigningSecret returns a new signing secret of the key's webhooks, which is valid after LockDelay, unless an owner
// stops it. It fails as Wait does.
func (s *Service) WaitSigningSecret(ctx context.Context, key Key, act audit.Act) (secret.Text, error) {
	signing := newSigningSecret(s.opts.Random)
	return signing, s.Wait(ctx, Waiting{
		MerchantID: key.UserID, KeyID: key.ID, Kind: WaitingSigning,
		Changes: []string{mail.T("signing secret: a new one, which was shown").Kept()},
	}, NewSettings{Signing: signing}, key.Name(), act)
}

// WaitComplete completes a payment by hand after LockDelay, unless an owner stops it: with what came (accept), or
// whatever came. It fails as Wait does.
func (s *Service) WaitComplete(
	ctx context.Context, merchantID, keyID int64, txnid, what string, accept bool, reason string, act audit.Act,
) error {
	return s.Wait(ctx, Waiting{
		MerchantID: merchantID, KeyID: keyID, Kind: WaitingPaid, Subject: txnid, Changes: []string{what},
	}, NewSettings{Reason: reason, Accept: accept}, txnid, act)
}

// Completion completes a payment of a key by hand. One that is completed already is no error.
type Completion func(ctx context.Context, keyID int64, txnid, by, reason string, accept bool) error

// completeWaiting completes the payment of a change that is due, if who asked for it may still.
func (s *Service) completeWaiting(ctx context.Context, w Waiting, to NewSettings) error {
	a, err := s.store.Account(ctx, By{ID: w.MerchantID})
	if err == nil {
		_, err = a.checkDue(w)
	}
	if err != nil {
		return err
	}
	return s.complete(ctx, w.KeyID, w.Subject, w.By, to.Reason, to.Accept)
}

// CompleteBy sets what completes payments by hand when a change that waited falls due.
func (s *Service) CompleteBy(c Completion) { s.complete = c }
