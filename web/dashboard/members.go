package dashboard

import (
	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
	"github.com/labstack/echo/v4"
)

// memberAct re-authenticates the user and returns the member in the path.
func (d *Surface) memberAct(
	c echo.Context, who session.Principal, act func(f *shell.Form, m merchant.Member) error,
) error {
	m, err := d.Merchants.Member(c.Request().Context(), who.Membership.Merchant, c.Param("member"))
	if err != nil {
		return err
	}
	f, ok, err := d.teamForm(c, who)
	if !ok {
		return err
	}
	if err := act(f, m); err != nil {
		return d.teamRefused(c, who, f, err)
	}
	return nil
}

func (d *Surface) postMemberRole(c echo.Context, who session.Principal) error {
	return d.memberAct(c, who, func(f *shell.Form, m merchant.Member) error {
		role := merchant.Role(f.Values.Get("role"))
		if waits, err := d.memberWaits(c, who, m, merchant.WaitingRole, role); waits || err != nil {
			return err
		}
		entry := d.AuditEntry(c, who, audit.ActionTeamRole, m.User.Email, string(m.Role)+" → "+string(role))
		if err := d.Merchants.SetRole(c.Request().Context(), who.Membership.Merchant, m.User, role, entry); err != nil {
			return err
		}
		d.MailOwners(c, who, "A role in your team was changed", who.User.Email+" made "+m.User.Email+" "+role.Noun()+" of your Florin merchant account; before that it was "+m.Role.Noun()+".")
		return d.Cookies.Redirect(c, teamPath, m.User.Email+" is "+role.Noun()+" now.")
	})
}

func (d *Surface) postRemoveMember(c echo.Context, who session.Principal) error {
	return d.memberAct(c, who, func(_ *shell.Form, m merchant.Member) error {
		if waits, err := d.memberWaits(c, who, m, merchant.WaitingRemoval, ""); waits || err != nil {
			return err
		}
		entry := d.AuditEntry(c, who, audit.ActionTeamRemove, m.User.Email, "was "+string(m.Role))
		if err := d.Merchants.RemoveMember(c.Request().Context(), who.Membership.Merchant, m.User, entry); err != nil {
			return err
		}
		d.MailOwners(
			c, who, "Somebody was removed from your team",
			who.User.Email+" removed "+m.User.Email+" from your Florin merchant account.",
		)
		return d.Cookies.Redirect(c, teamPath, m.User.Email+" has no access any more. Keys they have seen still work: rotate them if need be.")
	})
}

// memberWaits stores a change of who is an owner that waits, if the account is locked.
// waits is false for other changes of a member, which are made at once.
func (d *Surface) memberWaits(
	c echo.Context, who session.Principal, m merchant.Member, kind merchant.WaitingKind, role merchant.Role,
) (waits bool, err error) {
	if m.Role == role || m.Role != merchant.RoleOwner && role != merchant.RoleOwner {
		return false, nil
	}
	locked, err := d.Locked(c, who)
	if err != nil || !locked {
		return false, err
	}
	change := m.User.Email + ": " + string(m.Role) + " → " + string(role)
	if kind == merchant.WaitingRemoval {
		change = m.User.Email + ": " + string(m.Role) + " → removed"
	}
	err = d.Wait(c, who, merchant.Waiting{Kind: kind, Subject: m.User.PublicID, Changes: []string{change}},
		merchant.NewSettings{Role: role, Member: m.User.Email}, "team")
	if err != nil {
		return true, err
	}
	return true, d.Cookies.Redirect(c, teamPath, stopNotice)
}

// postLeave ends the principal's own membership.
func (d *Surface) postLeave(c echo.Context, who session.Principal) error {
	if who.Membership.Role == "" {
		return merchant.ErrNoMerchant
	}
	if err := d.Merchants.RemoveMember(
		c.Request().Context(), who.Membership.Merchant, who.User, d.AuditEntry(c, who, audit.ActionTeamLeave, "", ""),
	); err != nil {
		return err
	}
	return d.Cookies.Redirect(c, session.SecurityPath, "You have left the team.")
}

// postMerchant changes the merchant this session acts for.
func (d *Surface) postMerchant(c echo.Context, who session.Principal) error {
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	if err := d.Merchants.Choose(c.Request().Context(), who.User, who.Token(), f.Values.Get("merchant")); err != nil {
		return err
	}
	return d.Cookies.Redirect(c, shell.HomePath, "")
}
