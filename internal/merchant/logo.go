package merchant

import (
	"context"
	"regexp"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

// Logo is an uploaded picture that was encoded again. Its address is made from its
// content, so the content of an address never changes.
type Logo struct {
	Hash    string // SHA-256 of Picture, 64 hexadecimal digits
	Kind    string // png or jpg
	Picture []byte
}

// ownLogo matches the path of an uploaded logo on our own origin.
var ownLogo = regexp.MustCompile(`^/logo/[0-9a-f]{64}\.(png|jpg)$`)

// Path is where the logo is served, and the LogoURL of the custodian.
func (l Logo) Path() string { return "/logo/" + l.Hash + "." + l.Kind }

// Uploaded reports whether the logo is one that was uploaded here.
func (b Branding) Uploaded() bool { return ownLogo.MatchString(b.LogoURL) }

// Of returns the custodian with the logo; an empty one takes it away.
func (l Logo) Of(c Custodian) Custodian {
	c.Branding.LogoURL = ""
	if len(l.Picture) > 0 {
		c.Branding.LogoURL = l.Path()
	}
	return c
}

// PutLogo replaces the logo of the key's custodian; an empty logo removes it. It
// fails with ErrNoCustodian.
func (s *Service) PutLogo(ctx context.Context, key Key, l Logo, act audit.Act) error {
	detail := mail.T("uploaded a logo")
	if len(l.Picture) == 0 {
		detail = mail.T("removed the logo")
	}
	_, err := s.updateCustodian(ctx, key, nil, func(a Account) (Change, error) {
		c, err := a.ChangeCustodian(func(before Custodian) (CustodianChange, error) {
			after := l.Of(before)
			after.UpdatedAt = s.now().UTC()
			return CustodianChange{after, act.Record(key.UserID, audit.ActionBranding, key.Name(), detail.Kept(),
				s.keyMails(act, key, shownMail, after.Shown(before))...)}, nil
		})
		c.Logo = &l
		return c, err
	}, act, secret.Text{})
	return err
}

// Logo returns the logo with the hash, or fault.NotFound.
func (s *Service) Logo(ctx context.Context, hash string) (Logo, error) {
	return s.store.Logo(ctx, hash)
}
