package shell

import (
	"strings"

	"github.com/labstack/echo/v4"
)

// WithoutSlash takes a path with a slash at its end for the one without, as clients join addresses.
func WithoutSlash(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		u := c.Request().URL
		if len(u.Path) > 1 && strings.HasSuffix(u.Path, "/") {
			u.Path, u.RawPath = strings.TrimSuffix(u.Path, "/"), strings.TrimSuffix(u.RawPath, "/")
		}
		return next(c)
	}
}
