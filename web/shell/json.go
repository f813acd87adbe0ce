package shell

import (
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/jsonbody"
)

// WriteJSON writes v as the response.
func WriteJSON(c echo.Context, status int, v any) error {
	b := GetBuffer()
	defer PutBuffer(b)
	if err := jsonbody.Encode(b, v); err != nil {
		return err
	}
	return c.JSONBlob(status, b.Bytes())
}
