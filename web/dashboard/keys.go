package dashboard

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const (
	keysPath = "/dashboard/keys"
)

func (d *Surface) getKeys(c echo.Context, who session.Principal) error {
	return d.keysPage(c, who, http.StatusOK, shell.NewForm(url.Values{}), dashboard.FreshKey{}, "")
}

// keysPage lists the keys; changed is the key whose form was refused.
func (d *Surface) keysPage(
	c echo.Context, who session.Principal, status int, f *shell.Form, fresh dashboard.FreshKey, changed string,
) error {
	reauth, err := d.StrongField(c, who, f)
	if err != nil {
		return err
	}
	p := dashboard.KeysProps{
		Frame: d.Frame(c, who, "API keys", keysPath), Fresh: fresh, Full: full(who),
		Reauth: panel.Reauth{Field: reauth, Posted: f.Posted},
	}
	if who.Membership.Role == merchant.RoleOwner {
		p.Confirm = confirmField(p.Reauth)
	}
	if changed == "" {
		p.Problem = f.Problem
	}
	houses, err := d.houses(c.Request().Context(), who)
	if err != nil {
		return err
	}
	for _, h := range houses {
		row := keyRow(h)
		typed := shell.NewForm(url.Values{})
		if h.key.PublicID == changed {
			typed = f
			row.Problem, row.PermissionProblem = f.Problem, f.Problems["permission"]
		}
		row.Rename, row.Currency = renameField(typed, h.key), currencyField(typed, h.key)
		row.Zone = zoneField(typed, h.key)
		row.Stored = storedPermissions(h.key)
		row.Networks = typed.Field(networksField(panel.Field{
			Form: h.key.PublicID, Value: strings.Join(row.Sources, " "), Setting: true,
		}))
		row.Permissions = permissionBoxes(typed, merchant.AllPermissions(), h.key.Permissions)
		p.Rows = append(p.Rows, row)
	}
	for _, k := range who.AllKeys {
		if !k.RevokedAt.IsZero() || !k.DisabledAt.IsZero() {
			p.Rows = append(p.Rows, keyRow(house{key: k}))
		}
	}
	if changed != "" {
		f = shell.NewForm(url.Values{}) // the input belongs to another form
	}
	p.Fields = []panel.Field{
		f.Field(panel.Field{Name: "label", Label: "Name", Hint: "What it is for, such as “Web shop”.", Max: "100"}),
		f.Field(panel.Field{
			Name: "wallet", Label: "Wallet of the key (optional)", Mono: true, Max: "64",
			Hint: "An EVM address of yours. Its private key can rotate this API key and buy queries over the API. No payment is sent to it.",
		}),
	}
	p.Fields = append(p.Fields, f.Field(networksField(panel.Field{})))
	gives := who.Membership.Role.Permissions()
	p.Permissions, p.PermissionProblem = permissionBoxes(f, gives, gives), f.Problems["permission"]
	return d.Show(c, status, p.Frame, dashboard.Keys(p))
}

func renameField(f *shell.Form, k merchant.Key) panel.Field {
	return f.Field(panel.Field{
		Form: k.PublicID, Name: "label", Label: "Name", Value: session.KeyLabel(k), Max: "100", Setting: true,
	})
}

// currencyField is the input of what the shop of a key counts in.
func currencyField(f *shell.Form, k merchant.Key) panel.Field {
	return f.Field(session.CurrencyField(k, panel.Field{
		Form: k.PublicID, Setting: true, Label: "Currency of the shop",
		Hint: "New payments, links and campaigns begin with it; US dollars if you leave it empty.",
	}))
}

// zoneField is the input of the time zone of the key's shop.
func zoneField(f *shell.Form, k merchant.Key) panel.Field {
	return f.Field(panel.Field{
		Form: k.PublicID, Name: "zone", Label: "Time zone of the shop", Value: k.Zone, Max: "64", Setting: true,
		Placeholder: "Europe/Berlin", Autocomplete: "off",
		Hint: "Days and times on these pages are in it; UTC if you leave it empty.",
	})
}

// storedPermissions are the check boxes of what a key may do, as they are stored.
func storedPermissions(k merchant.Key) panel.Field {
	var names []string
	for _, p := range k.Permissions.List() {
		names = append(names, string(p))
	}
	return panel.Field{Name: "permission", Label: "What the key may do", Type: panel.Boxes, Value: strings.Join(names, " ")}
}

func full(who session.Principal) bool {
	return merchant.Account{Keys: who.AllKeys}.MayMakeKey() != nil
}

func keyRow(h house) dashboard.KeyRow {
	return dashboard.KeyRow{
		ID: h.key.PublicID, Label: session.KeyLabel(h.key), Wallet: string(h.key.Wallet),
		Credits: h.balance.Credits, Queries: h.balance.Queries,
		CreatedAt: h.key.CreatedAt, LastUsedAt: h.key.LastUsedAt,
		RevokedAt: h.key.RevokedAt, DisabledAt: h.key.DisabledAt, Custodian: h.has,
		May: mayTexts(h.key.Permissions), Sources: h.key.Sources.List(),
	}
}

func (d *Surface) postKey(c echo.Context, who session.Principal, f *shell.Form) error {
	if full(who) {
		f.Problem = "You have reached the limit of keys. Revoke one to create another."
		return d.keysPage(c, who, http.StatusConflict, f, dashboard.FreshKey{}, "")
	}
	in := merchant.NewKey{
		Label: f.Text("label"), Wallet: f.Text("wallet"), Credits: d.NewKeys.Credits, Queries: d.NewKeys.Queries,
		Limited: true, By: who.Membership.Role,
	}
	in.Permissions, in.Sources = rights(f)
	f.Refused(in.Check(), keySubjects...)
	status := http.StatusBadRequest
	// An owner who re-authenticates confirms the key (merchant.Key.Confirmed).
	if f.Values.Get("password") != "" || f.Values.Get("passkey") != "" {
		if err := d.Reauthenticate(c, who, f); err != nil {
			if !session.ReauthRefused(f, err) {
				return err
			}
			status = session.ReauthStatus(err)
		}
		in.Reauthenticated = true
	}
	if !f.OK() {
		return d.keysPage(c, who, status, f, dashboard.FreshKey{}, "")
	}
	key, text, err := d.Merchants.CreateKey(c.Request().Context(), who.Membership.Merchant, in, d.Act(c, who))
	if err != nil {
		if !f.Refused(err, keySubjects...) {
			return err
		}
		return d.keysPage(c, who, fault.KindOf(err).Code(), f, dashboard.FreshKey{}, "")
	}
	return d.freshKey(c, who, key, text, false)
}

// keySubjects map the fields a refusal of a new key can name to inputs.
var keySubjects = []shell.Subject{
	{Service: "label", Input: "label", Label: "The name"},
	{Service: "wallet", Input: "wallet", Label: "The wallet"},
}

// freshKey shows a key's text in the response itself: a redirect would have to
// store it.
func (d *Surface) freshKey(
	c echo.Context, who session.Principal, key merchant.Key, text secret.Text, waits bool,
) error {
	again, err := d.Again(c, who)
	if err != nil {
		return err
	}
	return d.keysPage(
		c, again, http.StatusOK, shell.NewForm(url.Values{}),
		dashboard.FreshKey{Text: text.Reveal(), Label: session.KeyLabel(key), Waits: waits}, "",
	)
}

func (d *Surface) postKeyLabel(c echo.Context, who session.Principal, f *shell.Form) error {
	key, err := who.Key(c.Param("key"))
	if err != nil {
		return err
	}
	none := shell.NewForm(url.Values{})
	changed := func(e audit.Entry) bool {
		return keyEntry(key, audit.ActionRelabelKey)(e) || keyEntry(key, audit.ActionKeyCurrency)(e) ||
			keyEntry(key, audit.ActionKeyZone)(e)
	}
	stored := []panel.Field{renameField(none, key), currencyField(none, key), zoneField(none, key)}
	if err := d.Since(c, who, f, changed, stored...); err != nil {
		return err
	}
	if f.Stale {
		return d.keysPage(c, who, f.Status(), f, dashboard.FreshKey{}, key.PublicID)
	}
	label, code, zone := f.Text("label"), f.Text("currency"), f.Text("zone")
	var to merchant.KeyNames
	if f.Values.Has("currency") && code != string(key.Currency) {
		to.Currency = &code
	}
	if f.Values.Has("zone") && zone != key.Zone {
		to.Zone = &zone
	}
	if label != session.KeyLabel(key) || !f.Values.Has("currency") {
		to.Label = &label
	}
	if err := d.Merchants.NameKey(c.Request().Context(), key, to, d.Act(c, who)); err != nil {
		return d.keyRefused(c, who, f, key, err)
	}
	return d.Cookies.Redirect(c, keysPath, "The key is changed.")
}

func (d *Surface) keyRefused(c echo.Context, who session.Principal, f *shell.Form, key merchant.Key, err error) error {
	if !session.ReauthRefused(f, err) &&
		!f.Refused(err, shell.Subject{Service: "label", Input: "label", Label: "The name"},
			shell.Subject{Service: "price.currency", Input: "currency", Label: "The currency"},
			shell.Subject{Service: "zone", Input: "zone", Label: "This"}) {
		return err
	}
	return d.keysPage(c, who, fault.KindOf(err).Code(), f, dashboard.FreshKey{}, key.PublicID)
}

func (d *Surface) postKeyRotate(c echo.Context, who session.Principal) error {
	// The new text may do what the key may: on a locked account an owner's password
	// alone does not give it out.
	check := d.Reauthenticate
	if who.Membership.Role.May(merchant.ActMoney) {
		check = d.Strong
	}
	return d.keyAct(c, who, check, func(_ *shell.Form, key merchant.Key) error {
		locked, err := d.Locked(c, who)
		if err != nil {
			return err
		}
		if locked {
			return d.rotationWaits(c, who, key)
		}
		text, _, err := d.Merchants.ReplaceKey(
			c.Request().Context(), key, who.Membership.Role.Permissions(), nil,
			"", d.Act(c, who),
		)
		if errors.Is(err, merchant.ErrBadKey) {
			return fault.New(fault.Conflict, "the key was changed in the meantime; look again")
		}
		if err != nil {
			return err
		}
		return d.freshKey(c, who, key, text, false)
	})
}

// rotationWaits shows the new text of a key of a locked account, which is valid in 24 hours unless an owner stops it.
func (d *Surface) rotationWaits(c echo.Context, who session.Principal, key merchant.Key) error {
	if err := who.Membership.Allow(merchant.ActMoney); err != nil {
		return err
	}
	text, err := d.Merchants.WaitReplaceKey(c.Request().Context(), key, d.Act(c, who))
	if err != nil {
		return err
	}
	return d.freshKey(c, who, key, text, true)
}

// confirmField is the re-authentication by which an owner confirms a new key.
func confirmField(r panel.Reauth) *panel.Field {
	x := r.For(keysPath, "")
	x.Purpose = "(optional)"
	x.Required = false
	x.Hint = "Needed only if this key is to set up wallets of its own over the API."
	return &x
}

func (d *Surface) postKeyRevoke(c echo.Context, who session.Principal) error {
	return d.keyAct(c, who, d.Reauthenticate, func(_ *shell.Form, key merchant.Key) error {
		if err := d.Merchants.RevokeKey(c.Request().Context(), key, false, d.Act(c, who)); err != nil {
			return err
		}
		return d.Cookies.Redirect(c, keysPath, "The key is revoked. Its payments stay in your lists.")
	})
}

// keyAct re-authenticates the user by check before it acts on a key.
func (d *Surface) keyAct(
	c echo.Context, who session.Principal, check func(echo.Context, session.Principal, *shell.Form) error,
	act func(*shell.Form, merchant.Key) error,
) error {
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	key, err := who.Key(c.Param("key"))
	if err != nil {
		return err
	}
	if err := check(c, who, f); err != nil {
		return d.keyRefused(c, who, f, key, err)
	}
	return act(f, key)
}
