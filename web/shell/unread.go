package shell

import (
	"io"
	"net/http"

	"github.com/labstack/echo/v4"
)

// maxUnread is the most bytes of a body that are read only to be thrown away.
const maxUnread = 16 << 20

// Unread reads what a refusal has left of a body. Most clients write a whole request before they read: closed before
// that, the connection would show them no answer but a reset. One that sends Expect waits, and needs none of this.
func Unread(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		err := next(c)
		if r := c.Request(); r.Body != nil && r.Body != http.NoBody && r.Header.Get("Expect") == "" {
			_, _ = io.CopyN(io.Discard, r.Body, maxUnread) // at its end, or cut off: the answer is the same
		}
		return err
	}
}
