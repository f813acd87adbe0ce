package dashboard

import (
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// postKeyPermissions sets what a key may do, and from where. It can let the key
// change where money goes, so only an owner may, and the owners are mailed.
func (d *Surface) postKeyPermissions(c echo.Context, who session.Principal) error {
	var permissions merchant.Permissions
	var sources merchant.Sources
	each := func(c echo.Context, who session.Principal, f *shell.Form) error {
		key, err := who.Key(c.Param("key"))
		if err != nil {
			return err
		}
		if err := d.Since(c, who, f, keyEntry(key, audit.ActionPermitKey), storedPermissions(key), panel.Field{
			Name: "networks", Label: "Networks", Value: strings.Join(key.Sources.List(), " "),
		}); err != nil {
			return err
		}
		permissions, sources = rights(f)
		return d.Gate(c, who, f, session.EachTime)
	}
	return d.keyAct(c, who, each, func(f *shell.Form, key merchant.Key) error {
		if !f.OK() {
			return d.keysPage(c, who, f.Status(), f, dashboard.FreshKey{}, key.PublicID)
		}
		if permissions.Empty() {
			permissions = key.Permissions
		}
		changes := key.RightsChanges(permissions, sources)
		if len(changes) == 0 {
			return d.Cookies.Redirect(c, keysPath, "Nothing was changed.")
		}
		if locked, err := d.Locked(c, who); err != nil {
			return err
		} else if locked && !key.Narrower(permissions, sources) {
			return d.rightsWait(c, who, key, changes, merchant.NewSettings{Permissions: permissions, Sources: sources})
		}
		if err := d.Merchants.SetKeyRights(c.Request().Context(), key, permissions, sources,
			d.Act(c, who)); err != nil {
			return err
		}
		return d.Cookies.Redirect(c, keysPath, "The key may do this from now on.")
	})
}

// keyEntry finds the entry of the audit log that did something to the key.
func keyEntry(k merchant.Key, action audit.Action) func(audit.Entry) bool {
	return func(e audit.Entry) bool {
		return e.Action == action && (e.Subject == session.KeyLabel(k) || e.Detail == k.Label)
	}
}

// rightsWait stores a change of a key's rights that waits, because the account is
// locked.
func (d *Surface) rightsWait(
	c echo.Context, who session.Principal, key merchant.Key, changes []string, to merchant.NewSettings,
) error {
	err := d.Wait(c, who, merchant.Waiting{
		Kind: merchant.WaitingRights, KeyID: key.ID, Changes: changes,
	}, to, session.KeyLabel(key))
	if err != nil {
		return err
	}
	return d.Cookies.Redirect(c, keysPath, session.WaitsNotice)
}

// rights reads what a key may do, and from where; malformed values are reported
// beside their inputs. A form without the boxes chooses nothing.
func rights(f *shell.Form) (merchant.Permissions, merchant.Sources) {
	permissions, err := merchant.ParsePermissions(f.Values["permission"])
	switch {
	case err != nil:
		f.Bad("permission", "Choose among the permissions of the list.")
	case f.Values.Has("chosen") && permissions.Empty():
		f.Bad("permission", "Choose at least one.")
	}
	sources, err := merchant.ParseSources(f.Values.Get("networks"))
	if err != nil {
		f.Bad("networks", shell.Refusal(f.Locale, fault.Of(err), "The networks"))
	}
	return permissions, sources
}

// permissionBoxes offer permissions. Those the form chose are ticked or, before it
// was posted, the given ones.
func permissionBoxes(f *shell.Form, offered, ticked merchant.Permissions) []dashboard.PermissionBox {
	var boxes []dashboard.PermissionBox
	for _, p := range offered.List() {
		on := ticked.Has(p)
		if f.Values.Has("chosen") {
			on = slices.Contains(f.Values["permission"], string(p))
		}
		boxes = append(boxes, dashboard.PermissionBox{Value: string(p), Text: p.Shown(), On: on})
	}
	return boxes
}

func mayTexts(p merchant.Permissions) []string {
	var texts []string
	for _, x := range p.List() {
		texts = append(texts, x.Shown())
	}
	return texts
}

// networksField is the input of the networks a key may be used from.
func networksField(x panel.Field) panel.Field {
	x.Name, x.Label, x.Max, x.Mono = "networks", "Networks it may be used from (optional)", "1000", true
	x.Hint = "Addresses or networks such as 203.0.113.0/24, with spaces between them. If you leave it empty, the key works from anywhere."
	return x
}
