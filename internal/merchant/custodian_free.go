package merchant

import (
	"context"
	"errors"
	"fmt"

	"github.com/florinpay/florin/internal/audit"
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
	ctx context.Context, key Key, in CustodianInput, record AuditFunc,
) (c Custodian, signing secret.Text, err error) {
	now := s.now().UTC()
	if err := s.checkInput(ctx, key, in); err != nil {
		return Custodian{}, secret.Text{}, err
	}
	_, err = s.store.Custodian(ctx, key.ID)
	if err == nil {
		c, err = s.store.UpdateCustodian(ctx, key.ID, nil, func(c Custodian) (Custodian, error) {
			c, err := s.with(c, in)
			c.UpdatedAt = now
			return c, err
		}, record)
		return c, secret.Text{}, err
	}
	if !errors.Is(err, ErrNoCustodian) {
		return Custodian{}, secret.Text{}, err
	}
	c, signing, err = s.newCustodian(key, in)
	if err != nil {
		return Custodian{}, secret.Text{}, err
	}
	c, err = s.store.CreateCustodian(ctx, c, nil, record)
	return c, signing, err
}

func (s *Service) newCustodian(key Key, in CustodianInput) (Custodian, secret.Text, error) {
	now := s.now().UTC()
	id, err := s.newID(now)
	if err != nil {
		return Custodian{}, secret.Text{}, err
	}
	signing, err := newSigningSecret(s.opts.Random)
	if err != nil {
		return Custodian{}, secret.Text{}, err
	}
	c, err := s.with(Custodian{
		PublicID: id, KeyID: key.ID, SigningSecrets: []secret.Text{signing},
		Branding: Branding{Theme: ThemeAuto}, CreatedAt: now, UpdatedAt: now,
	}, in)
	return c, signing, err
}

// RotateSigningSecret gives the custodian a new signing secret, which is
// returned here and never again. The one before stays valid beside it until
// the next rotation or RetireSigningSecret.
func (s *Service) RotateSigningSecret(ctx context.Context, key Key, trail ...audit.Entry) (secret.Text, error) {
	signing, err := newSigningSecret(s.opts.Random)
	if err != nil {
		return secret.Text{}, err
	}
	_, err = s.store.UpdateCustodian(ctx, key.ID, nil, func(c Custodian) (Custodian, error) {
		secrets := append([]secret.Text{signing}, c.SigningSecrets...)
		c.SigningSecrets = secrets[:min(len(secrets), maxSigning)]
		c.UpdatedAt = s.now().UTC()
		return c, nil
	}, Audited(trail...))
	if err != nil {
		return secret.Text{}, fmt.Errorf("rotate the signing secret: %w", err)
	}
	return signing, nil
}

// RetireSigningSecret leaves only the newest signing secret valid.
func (s *Service) RetireSigningSecret(ctx context.Context, key Key, trail ...audit.Entry) error {
	_, err := s.store.UpdateCustodian(ctx, key.ID, nil, func(c Custodian) (Custodian, error) {
		c.SigningSecrets = c.SigningSecrets[:min(len(c.SigningSecrets), 1)]
		c.UpdatedAt = s.now().UTC()
		return c, nil
	}, Audited(trail...))
	return err
}
