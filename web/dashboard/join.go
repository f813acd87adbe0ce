package dashboard

import (
	"net/http"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
	"github.com/labstack/echo/v4"
)

// getJoining shows an invitation to a signed-in user.
func (d *Surface) getJoining(c echo.Context, who session.Principal) error {
	n, merchant, _, err := d.Merchants.Invitation(c.Request().Context(), c.QueryParam("token"))
	if err != nil {
		return err
	}
	p := dashboard.JoiningProps{
		Frame: d.Frame(c, who, "Join a team", ""), Merchant: merchant.Email, Role: string(n.Role), Does: session.RoleTexts[n.Role], Token: c.QueryParam("token"),
	}
	if n.Email != who.User.Email {
		p.For = n.Email
	}
	return d.Show(c, http.StatusOK, p.Frame, dashboard.Joining(p))
}

// postJoining accepts an invitation as the signed-in user.
func (d *Surface) postJoining(c echo.Context, who session.Principal) error {
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	ctx, token := c.Request().Context(), f.Values.Get("token")
	n, merchant, _, err := d.Merchants.Invitation(ctx, token)
	if err != nil {
		return err
	}
	entry := d.Entry(c, merchant.ID, who.User.Email, audit.ActionTeamJoin, "", "as "+string(n.Role))
	n, err = d.Merchants.Join(c.Request().Context(), token, who.User, entry)
	if err != nil {
		return err
	}
	if err := d.Merchants.Choose(ctx, who.User, who.Token(), merchant.PublicID); err != nil {
		return err
	}
	return d.Cookies.Redirect(c, shell.HomePath, "You act for "+merchant.Email+" now, as "+string(n.Role)+".")
}
