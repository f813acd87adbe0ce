package shell

import (
	"strings"

	"github.com/labstack/echo/v4"
)

// WithoutSlash takes a path with slashes at its end, or with more than one before it, for the one without, as clients
// join addresses, and one whose escapes need not be there for the one without: routes are found by what a path says.
func WithoutSlash(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		u := c.Request().URL
		if u.Path = "/" + strings.Trim(u.Path, "/"); u.RawPath != "" {
			u.RawPath = "/" + strings.Trim(u.RawPath, "/")
		}
		if !strings.Contains(strings.ToLower(u.RawPath), "%2f") {
			u.RawPath = ""
		}
		return next(c)
	}
}
