package api

import (
	"context"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/jsonbody"
	"github.com/florinpay/florin/graph/model"
)

// postFind is `findTransaction` over REST.
func (s *Surface) postFind(c echo.Context) error {
	return write(c, s, func(ctx context.Context, b *jsonbody.Object) (*model.FindingResult, error) {
		hash := b.Text("hash")
		if err := done(ctx, b); err != nil {
			return nil, err
		}
		return s.Operations.Find(ctx, c.Param("txnid"), hash)
	})
}
