package web

import (
	"context"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views/docs"
	"github.com/florinpay/florin/web/session"
)

// docsAccounts finds what fills the samples of the documentation.
type docsAccounts struct {
	guard *session.Guard
	// sandboxKey returns the text of the sandbox's API key; nil in production.
	sandboxKey func() string
}

// of returns what is known of the reader. In a sandbox, a reader who has no key of their own reads the samples with
// that of the sandbox; a reader without a session, or one who may not see it, is a stranger.
func (d docsAccounts) of(c echo.Context) docs.Account {
	demo, text := d.demo(c.Request().Context())
	who, ok := d.principal(c)
	if !ok || len(who.Keys) == 0 {
		return docs.Account{Key: text}
	}
	key, custodian := d.shown(c.Request().Context(), who.Keys, demo.ID)
	a := docs.Account{Email: who.User.Email, KeyName: session.KeyLabel(key), CallbackURL: custodian.CallbackURL}
	if key.ID == demo.ID {
		a.Key = text
	}
	for n, wallet := range custodian.Wallets {
		if n.EVM() {
			a.Wallet = string(wallet)
		}
	}
	return a
}

// demo returns the sandbox's key and its text; no text where there is none, or where it was replaced or revoked.
func (d docsAccounts) demo(ctx context.Context) (merchant.Key, string) {
	if d.sandboxKey == nil {
		return merchant.Key{}, ""
	}
	text := d.sandboxKey()
	key, err := d.guard.Merchants.Authenticate(ctx, text)
	if err != nil {
		return merchant.Key{}, ""
	}
	return key, text
}

func (d docsAccounts) principal(c echo.Context) (who session.Principal, ok bool) {
	if d.guard.Cookies.Token(c.Request()).Empty() {
		return who, false
	}
	who, err := d.guard.Principal(c)
	return who, err == nil && who.Membership.Allow(merchant.ActRead) == nil
}

// shown chooses among the keys of a reader: the one whose text is known, else the first that has a custodian, else the
// first.
func (d docsAccounts) shown(ctx context.Context, keys []merchant.Key, known int64) (merchant.Key, merchant.Custodian) {
	if i := slices.IndexFunc(keys, func(k merchant.Key) bool { return k.ID == known }); i >= 0 {
		keys = keys[i : i+1]
	}
	for _, k := range keys {
		if custodian, err := d.guard.Merchants.Custodian(ctx, k.ID); err == nil {
			return k, custodian
		}
	}
	return keys[0], merchant.Custodian{}
}
