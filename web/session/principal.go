package session

import (
	"context"
	"errors"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/shell"
)

// Principal is a signed-in user who acts for a merchant.
type Principal struct {
	User       identity.User       // who acts; the same as Membership.User
	Membership merchant.Membership // for which merchant, and in which role
	Keys       []merchant.Key      // the merchant's keys in use
	AllKeys    []merchant.Key      // with revoked and disabled ones, whose payments remain the merchant's
	Merchants  []panel.Choice      // the merchants the user can act for

	token     *secret.Text // of the session; re-authentication replaces it
	confirmed *time.Time   // when the user re-authenticated last in this session; zero if never
}

// Token is that of the session.
func (who Principal) Token() secret.Text { return *who.token }

// Principal returns who sent the request, or fault.Unauthorized. A browser that lost the answer with the new token of
// its session is let in for a moment, as one that has not re-authenticated: a copy of the old cookie must not open the
// gate.
func (g *Guard) Principal(c echo.Context) (Principal, error) {
	who, err := g.sender(c)
	if err == nil {
		shell.Speak(c, who.User.Language)
	}
	return who, err
}

func (g *Guard) sender(c echo.Context) (Principal, error) {
	ctx, token := c.Request().Context(), g.Cookies.Token(c.Request())
	who, err := g.principal(ctx, token)
	if !errors.Is(err, identity.ErrBadSession) || token.Empty() {
		return who, err
	}
	renewed, err := g.Users.Current(ctx, token)
	if err != nil {
		return who, err
	}
	who, err = g.principal(ctx, renewed.Token)
	who.confirmed = new(time.Time)
	return who, err
}

// Again returns the principal as the request has changed them.
func (g *Guard) Again(c echo.Context, who Principal) (Principal, error) {
	return g.principal(c.Request().Context(), who.Token())
}

func (g *Guard) principal(ctx context.Context, token secret.Text) (Principal, error) {
	membership, err := g.Merchants.MembershipBySession(ctx, token.Reveal())
	if err != nil {
		return Principal{}, err
	}
	who := Principal{User: membership.User, Membership: membership, token: &token, confirmed: &membership.ConfirmedAt}
	if who.Merchants, err = g.merchantChoices(ctx, membership); err != nil {
		return Principal{}, err
	}
	if membership.Role == "" {
		return who, nil
	}
	if who.AllKeys, err = g.Merchants.EveryKey(ctx, membership.Merchant.ID); err != nil {
		return Principal{}, err
	}
	for _, k := range who.AllKeys {
		if k.RevokedAt.IsZero() && k.DisabledAt.IsZero() {
			who.Keys = append(who.Keys, k)
		}
	}
	return who, nil
}

// KeyIDs are the keys whose data the principal may see.
func (who Principal) KeyIDs() []int64 {
	ids := make([]int64, len(who.AllKeys))
	for i, k := range who.AllKeys {
		ids[i] = k.ID
	}
	return ids
}

// Zone is the time zone of the merchant: that of the first shop that has one, or UTC.
func (who Principal) Zone() *time.Location {
	for _, k := range who.Keys {
		if k.Zone != "" {
			return k.Location()
		}
	}
	return time.UTC
}

// Key returns the merchant's key of that public id. Keys of other merchants are
// unknown.
func (who Principal) Key(publicID string) (merchant.Key, error) {
	for _, k := range who.Keys {
		if k.PublicID == publicID {
			return k, nil
		}
	}
	return merchant.Key{}, merchant.ErrUnknownKey
}

// ChosenKey returns the key of a page: that of the public id, else the first. It
// returns false for a merchant without keys.
func (who Principal) ChosenKey(publicID string) (k merchant.Key, ok bool, err error) {
	if publicID != "" {
		k, err = who.Key(publicID)
		return k, err == nil, err
	}
	if len(who.Keys) == 0 {
		return merchant.Key{}, false, nil
	}
	return who.Keys[0], true, nil
}

// KeyChoice is ChosenKey with the form field that chooses among the merchant's
// keys. Choosing another leads to the path.
func (who Principal) KeyChoice(path, publicID string) (merchant.Key, bool, panel.KeyChoice, error) {
	key, ok, err := who.ChosenKey(publicID)
	choice := panel.KeyChoice{Path: path, Current: key.PublicID}
	for _, k := range who.Keys {
		choice.Keys = append(choice.Keys, panel.Choice{Value: k.PublicID, Text: KeyLabel(k)})
	}
	return key, ok, choice, err
}
