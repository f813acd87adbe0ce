package signin

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/web/shell"
)

// speak answers in the language that was chosen on one of these pages, so that it holds until the user signs in.
func (d *Surface) speak(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		chosen := c.QueryParam("lang")
		if views.HasLanguage(chosen) {
			kept := map[string]string{"tag": chosen}
			if err := d.Cookies.Put(c.Response(), shell.LanguageCookie, shell.LanguageTTL, kept); err != nil {
				return err
			}
		} else {
			chosen = d.Cookies.Get(c.Request(), shell.LanguageCookie, "tag")
		}
		shell.Speak(c, chosen)
		return next(c)
	}
}

// here is the address of a page up to its language (views.Page). The second step of a sign-in has none of its own.
func here(c echo.Context) string {
	u := c.Request().URL
	path, rest := u.Path, url.Values{}
	if c.Request().Method == http.MethodGet {
		rest = u.Query()
		rest.Del("lang")
	} else if strings.HasPrefix(path, "/signin/") {
		path = "/signin"
	}
	to := path + "?"
	if len(rest) > 0 {
		to += rest.Encode() + "&"
	}
	return to + "lang="
}
