package web

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/shell"
)

const (
	keysPath = "/dashboard/keys"
)

func (d *desk) getKeys(c echo.Context, v visitor) error {
	return d.keysPage(c, v, http.StatusOK, shell.NewForm(url.Values{}), dashboard.FreshKey{}, "")
}

// keysPage lists the keys; changed is the one that a refused form was about.
func (d *desk) keysPage(c echo.Context, v visitor, status int, f *shell.Form, fresh dashboard.FreshKey, changed string) error {
	proof, err := d.proofField(c, v, f)
	if err != nil {
		return err
	}
	p := dashboard.KeysProps{Frame: d.frame(c, v, "API keys", keysPath), Fresh: fresh, Full: full(v), Reauth: panel.Reauth{Field: proof, Posted: f.Posted}}
	if changed == "" {
		p.Problem = f.Problem
	}
	houses, err := d.houses(c.Request().Context(), v)
	if err != nil {
		return err
	}
	for _, h := range houses {
		row := keyRow(h)
		row.Rename = panel.Field{Form: h.key.PublicID, Name: "label", Label: "Name", Value: row.Label, Max: "100"}
		if h.key.PublicID == changed {
			row.Problem, row.Rename = f.Problem, f.Field(row.Rename)
		}
		p.Rows = append(p.Rows, row)
	}
	for _, k := range v.every {
		if !k.RevokedAt.IsZero() || !k.DisabledAt.IsZero() {
			p.Rows = append(p.Rows, keyRow(house{key: k}))
		}
	}
	if changed != "" {
		f = shell.NewForm(url.Values{}) // what was typed is another form's
	}
	p.Fields = []panel.Field{
		f.Field(panel.Field{Name: "label", Label: "Name", Hint: "What it is for, such as “Web shop”.", Max: "100"}),
		f.Field(panel.Field{
			Name: "wallet", Label: "Wallet of the key (optional)", Mono: true, Max: "64",
			Hint: "An EVM address of yours. Whoever holds its private key can rotate this key and buy queries over the API; no payment is sent to it.",
		}),
	}
	return d.show(c, status, p.Frame, dashboard.Keys(p))
}

func full(v visitor) bool {
	return len(v.keys) >= merchant.MaxKeys || len(v.every) >= merchant.MaxEverKeys
}

func keyRow(h house) dashboard.KeyRow {
	return dashboard.KeyRow{
		ID: h.key.PublicID, Label: labelOf(h.key), Wallet: string(h.key.Wallet), Credits: h.balance.Credits, Queries: h.balance.Queries,
		CreatedAt: h.key.CreatedAt, LastUsedAt: h.key.LastUsedAt, RevokedAt: h.key.RevokedAt, DisabledAt: h.key.DisabledAt, Custodian: h.has,
	}
}

func (d *desk) postKey(c echo.Context, v visitor) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	f := shell.NewForm(values)
	if full(v) {
		f.Problem = "You have as many keys as there may be."
		return d.keysPage(c, v, http.StatusConflict, f, dashboard.FreshKey{}, "")
	}
	// Without a label it is called by the id it is about to get.
	entry := d.auditEntry(c, v, audit.ActionCreateKey, f.Text("label"), "")
	key, text, err := d.d.Accounts.CreateKey(c.Request().Context(), v.seat.Merchant, merchant.NewKey{
		Label: f.Text("label"), Wallet: f.Text("wallet"), Credits: d.o.NewKeys.Credits, Queries: d.o.NewKeys.Queries, Limited: true,
	}, entry)
	if err != nil {
		if !f.Refused(err, shell.Subject{Service: "label", Input: "label", Label: "The name"}, shell.Subject{Service: "wallet", Input: "wallet", Label: "The wallet"}) {
			return err
		}
		return d.keysPage(c, v, fault.KindOf(err).Code(), f, dashboard.FreshKey{}, "")
	}
	return d.freshKey(c, key, text)
}

// freshKey shows a key's text in the answer itself: a redirect would have to
// carry it somewhere.
func (d *desk) freshKey(c echo.Context, key merchant.Key, text secret.Text) error {
	again, err := d.visitor(c)
	if err != nil {
		return err
	}
	return d.keysPage(c, again, http.StatusOK, shell.NewForm(url.Values{}), dashboard.FreshKey{Text: text.Reveal(), Label: labelOf(key)}, "")
}

func (d *desk) postKeyLabel(c echo.Context, v visitor) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	f := shell.NewForm(values)
	f.Posted = c.Request().URL.Path
	key, err := v.key(c.Param("key"))
	if err != nil {
		return err
	}
	entry := d.auditEntry(c, v, audit.ActionRelabelKey, labelOf(key), f.Text("label"))
	if err := d.x.Members.SetKeyLabel(c.Request().Context(), key, f.Text("label"), entry); err != nil {
		return d.keyRefused(c, v, f, key, err)
	}
	return d.cookies.Redirect(c, keysPath, "The key is renamed.")
}

func (d *desk) keyRefused(c echo.Context, v visitor, f *shell.Form, key merchant.Key, err error) error {
	if !d.badProof(f, err) && !f.Refused(err, shell.Subject{Service: "label", Input: "label", Label: "The name"}) {
		return err
	}
	return d.keysPage(c, v, fault.KindOf(err).Code(), f, dashboard.FreshKey{}, key.PublicID)
}

func (d *desk) postKeyRotate(c echo.Context, v visitor) error {
	return d.keyAct(c, v, func(key merchant.Key) error {
		text, _, err := d.x.Members.ReplaceKey(c.Request().Context(), key, nil, nil, d.auditEntry(c, v, audit.ActionRotateKey, labelOf(key), ""))
		if errors.Is(err, merchant.ErrBadKey) {
			return fault.New(fault.Conflict, "the key was changed in the meantime; look again")
		}
		if err != nil {
			return err
		}
		return d.freshKey(c, key, text)
	})
}

func (d *desk) postKeyRevoke(c echo.Context, v visitor) error {
	return d.keyAct(c, v, func(key merchant.Key) error {
		if err := d.x.Members.RevokeKey(c.Request().Context(), key, d.auditEntry(c, v, audit.ActionRevokeKey, labelOf(key), "")); err != nil {
			return err
		}
		return d.cookies.Redirect(c, keysPath, "The key is revoked. Its payments stay in your lists.")
	})
}

// keyAct asks for the password before it acts on a key.
func (d *desk) keyAct(c echo.Context, v visitor, act func(merchant.Key) error) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	f := shell.NewForm(values)
	f.Posted = c.Request().URL.Path
	key, err := v.key(c.Param("key"))
	if err != nil {
		return err
	}
	if err := d.confirm(c, v, f); err != nil {
		return d.keyRefused(c, v, f, key, err)
	}
	return act(key)
}
