package team

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/team"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// getJoining shows an invitation to a signed-in user.
func (t *Surface) getJoining(c echo.Context, who session.Principal) error {
	token, sent, err := t.Cookies.FromLink(c, "token")
	if sent || err != nil {
		return err
	}
	p := team.JoiningProps{Frame: t.Frame(c, who, "Join a team", ""), Token: token}
	n, merchant, _, err := t.Merchants.Invitation(c.Request().Context(), token)
	if errors.Is(err, identity.ErrBadInvitation) {
		return t.Show(c, http.StatusForbidden, p.Frame, team.Joining(p))
	}
	if err != nil {
		return err
	}
	p.Merchant, p.Role, p.Does = merchant.Email, string(n.Role), session.RoleTexts[n.Role]
	if n.Email != who.User.Email {
		p.For = n.Email
	}
	return t.Show(c, http.StatusOK, p.Frame, team.Joining(p))
}

// postJoining accepts an invitation as the signed-in user.
func (t *Surface) postJoining(c echo.Context, who session.Principal, f *shell.Form) error {
	ctx, token := c.Request().Context(), f.Values.Get("token")
	_, merchant, _, err := t.Merchants.Invitation(ctx, token)
	if err != nil {
		return err
	}
	n, err := t.Merchants.Join(c.Request().Context(), token, who.User, t.Act(c, who))
	if err != nil {
		return err
	}
	if err := t.Merchants.Choose(ctx, who.User, who.Token(), merchant.PublicID); err != nil {
		return err
	}
	return t.Cookies.Redirect(c, shell.HomePath, views.T(ctx, "You act for {{.Merchant}} now, as {{.Role}}.", "Merchant", merchant.Email, "Role", views.T(ctx, string(n.Role))))
}
