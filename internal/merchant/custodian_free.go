package merchant

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

// maxSigning is how many signing secrets are valid at once: the new one, and the
// old one until receivers have changed to the new one.
const maxSigning = 2

// ArrangeCustodian creates or changes the custodian of a key whose owner is
// signed in. Unlike the operations of the API it costs nothing: a merchant
// without credits must be able to correct a wallet. signing is set when a
// custodian was created. It fails with fault.Invalid naming the field.
func (s *Service) ArrangeCustodian(
	ctx context.Context, key Key, in CustodianInput, act audit.Act,
) (c Custodian, signing secret.Text, err error) {
	now := s.now().UTC()
	if err := s.checkInput(ctx, key, in); err != nil {
		return Custodian{}, secret.Text{}, err
	}
	fresh, made, err := s.newCustodian(key, in)
	if err != nil {
		return Custodian{}, secret.Text{}, err
	}
	c, err = s.updateCustodian(ctx, key, nil, func(a Account) (Change, error) {
		if signing = (secret.Text{}); a.Custodian.ID != 0 {
			return a.ChangeCustodian(s.changing(key, in, now, act))
		}
		signing = made
		return a.AddCustodian(fresh, s.custodianRecord(act, key, Custodian{}, fresh))
	}, act, secret.Text{})
	return c, signing, err
}

func (s *Service) newCustodian(key Key, in CustodianInput) (Custodian, secret.Text, error) {
	now := s.now().UTC()
	signing := newSigningSecret(s.opts.Random)
	c, err := s.with(Custodian{
		PublicID: s.newID(now), KeyID: key.ID, SigningSecrets: []secret.Text{signing},
		Branding: Branding{Theme: ThemeAuto}, CreatedAt: now, UpdatedAt: now,
	}, in)
	return c, signing, err
}

// RotateSigningSecret makes another signing secret, which is shown only here. The
// one before stays valid beside it until RetireSigningSecret.
func (s *Service) RotateSigningSecret(ctx context.Context, key Key, act audit.Act) (secret.Text, error) {
	signing := newSigningSecret(s.opts.Random)
	err := s.changeSigning(ctx, key, act, mail.Words{},
		mail.T("signing secret: a new one was made and shown"), func(list []secret.Text) []secret.Text {
			return newestSigning(signing, Custodian{SigningSecrets: list})
		})
	if err != nil {
		return secret.Text{}, fmt.Errorf("rotate the signing secret: %w", err)
	}
	return signing, nil
}

// newestSigning are the signing secrets of the custodian with a new one.
func newestSigning(signing secret.Text, c Custodian) []secret.Text {
	list := append([]secret.Text{signing}, c.SigningSecrets...)
	return list[:min(len(list), maxSigning)]
}

// RetireSigningSecret leaves only the newest signing secret valid.
func (s *Service) RetireSigningSecret(ctx context.Context, key Key, act audit.Act) error {
	return s.changeSigning(ctx, key, act, mail.T("the old one was retired"),
		mail.T("signing secret: only the newest is valid, the old one was retired"),
		func(list []secret.Text) []secret.Text { return list[:min(len(list), 1)] })
}

func (s *Service) changeSigning(
	ctx context.Context, key Key, act audit.Act, detail, change mail.Words, next func([]secret.Text) []secret.Text,
) error {
	done := act.Record(key.UserID, audit.ActionSigningSecret, key.Name(), detail.Kept(),
		s.keyMails(act, key, secretMail, []string{change.Kept()})...)
	_, err := s.updateCustodian(ctx, key, nil, func(a Account) (Change, error) {
		return a.ChangeCustodian(func(c Custodian) (CustodianChange, error) {
			c.SigningSecrets, c.UpdatedAt = next(c.SigningSecrets), s.now().UTC()
			return CustodianChange{c, done}, nil
		})
	}, act, secret.Text{})
	return err
}
