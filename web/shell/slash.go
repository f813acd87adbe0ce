package shell

import (
	"strings"

	"github.com/labstack/echo/v4"
)

// WithoutSlash takes a path with a slash at its end for the one without, as clients join addresses, and one whose
// escapes need not be there for the one without: routes are found by what a path says.
func WithoutSlash(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		u := c.Request().URL
		if len(u.Path) > 1 && strings.HasSuffix(u.Path, "/") {
			u.Path, u.RawPath = strings.TrimSuffix(u.Path, "/"), strings.TrimSuffix(u.RawPath, "/")
		}
		if !strings.Contains(strings.ToLower(u.RawPath), "%2f") {
			u.RawPath = ""
		}
		return next(c)
	}
}
