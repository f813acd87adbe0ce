package team

import (
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// memberAct re-authenticates the user and returns the member in the path.
func (t *Surface) memberAct(
	c echo.Context, who session.Principal, act func(f *shell.Form, m merchant.Member) error,
) error {
	m, err := t.Merchants.Member(c.Request().Context(), who.Membership.Merchant, c.Param("member"))
	if err != nil {
		return err
	}
	f, ok, err := t.teamForm(c, who)
	if !ok {
		return err
	}
	if err := act(f, m); err != nil {
		return t.teamRefused(c, who, f, err)
	}
	return nil
}

func (t *Surface) postMemberRole(c echo.Context, who session.Principal) error {
	return t.memberAct(c, who, func(f *shell.Form, m merchant.Member) error {
		ctx := c.Request().Context()
		stored := panel.Field{
			Name: "role", Label: views.T(ctx, "The role of {{.Email}}", "Email", m.User.Email), Type: "select",
			Value: string(m.Role),
		}
		if err := t.Since(c, who, f, func(e audit.Entry) bool {
			return e.Action == audit.ActionTeamRole && e.Subject == m.User.Email
		}, stored); err != nil {
			return err
		}
		if f.Stale {
			return t.teamPage(c, who, f.Status(), f, "", "")
		}
		role := merchant.Role(f.Values.Get("role"))
		if waits, err := t.memberWaits(c, who, m, merchant.WaitingRole, role); waits || err != nil {
			return err
		}
		if err := t.Merchants.SetRole(ctx, who.Membership.Merchant, m, role,
			t.Act(c, who)); err != nil {
			return err
		}
		return t.Cookies.Redirect(c, teamPath,
			views.T(ctx, "{{.Email}} has another role now: {{.Role}}.", "Email", m.User.Email, "Role", views.T(ctx, string(role))))
	})
}

func (t *Surface) postRemoveMember(c echo.Context, who session.Principal) error {
	return t.memberAct(c, who, func(_ *shell.Form, m merchant.Member) error {
		if waits, err := t.memberWaits(c, who, m, merchant.WaitingRemoval, ""); waits || err != nil {
			return err
		}
		if err := t.Merchants.RemoveMember(c.Request().Context(), who.Membership.Merchant, m,
			t.Act(c, who)); err != nil {
			return err
		}
		return t.Cookies.Redirect(c, teamPath, views.T(c.Request().Context(), "{{.Email}} has no access any more. Keys they have seen still work: rotate them if need be.", "Email", m.User.Email))
	})
}

// memberWaits stores a change of who is an owner that waits, if the account is locked.
// waits is false for other changes of a member, which are made at once.
func (t *Surface) memberWaits(
	c echo.Context, who session.Principal, m merchant.Member, kind merchant.WaitingKind, role merchant.Role,
) (waits bool, err error) {
	if m.Role == role || m.Role != merchant.RoleOwner && role != merchant.RoleOwner {
		return false, nil
	}
	locked, err := t.Locked(c, who)
	if err != nil || !locked {
		return false, err
	}
	var after any = mail.English(role)
	if kind == merchant.WaitingRemoval {
		after = mail.T("removed")
	}
	change := m.User.Email + ": " + mail.T("{{.Before}} → {{.After}}", "Before", mail.English(m.Role),
		"After", after).Kept()
	err = t.Wait(c, who, merchant.Waiting{Kind: kind, Subject: m.User.PublicID, Changes: []string{change}},
		merchant.NewSettings{Role: role, Member: m.User.Email}, mail.T("team").Kept())
	if err != nil {
		return true, err
	}
	return true, t.Cookies.Redirect(c, teamPath, session.WaitsNotice)
}

// postLeave ends the principal's own membership.
func (t *Surface) postLeave(c echo.Context, who session.Principal) error {
	if err := t.Merchants.Leave(c.Request().Context(), who.Membership, t.Act(c, who)); err != nil {
		return err
	}
	return t.Cookies.Redirect(c, session.SecurityPath, "You have left the team.")
}

// postMerchant changes the merchant this session acts for.
func (t *Surface) postMerchant(c echo.Context, who session.Principal, f *shell.Form) error {
	if err := t.Merchants.Choose(c.Request().Context(), who.User, who.Token(), f.Values.Get("merchant")); err != nil {
		return err
	}
	return t.Cookies.Redirect(c, shell.HomePath, "")
}
