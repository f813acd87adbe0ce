package operator

import (
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// postGrant gives a key credits that cost nothing.
func (d *Surface) postGrant(c echo.Context, who session.Principal) error {
	var n int64
	person, f, ok, err := d.userForm(c, who, func(f *shell.Form) {
		var err error
		if n, err = strconv.ParseInt(f.Amount("credits"), 10, 64); err != nil {
			f.Bad("credits", "The number of credits must be a whole number.")
		}
	})
	if !ok {
		return err
	}
	key, err := d.keyOf(c, person)
	if err != nil {
		return err
	}
	grant := merchant.Grant{Credits: n, ID: f.Text("grant")}
	left, err := d.Merchants.Grant(c.Request().Context(), key, grant, d.Act(c, who))
	if err != nil {
		if !f.Refused(err, shell.Subject{Service: "credits", Input: "credits", Label: "The number of credits"}) {
			return err
		}
		return d.userPage(c, who, fault.KindOf(err).Code(), person, f)
	}
	return d.Cookies.Redirect(c, usersPath+"/"+person.PublicID,
		"The key “"+key.Name()+"” has "+strconv.FormatInt(left.Credits, 10)+" credits now.")
}
