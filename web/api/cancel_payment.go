package api

import (
	"context"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/jsonbody"
	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/web/shell"
)

// postCancelPayment is `cancelPayment` over REST.
func (s *Surface) postCancelPayment(c echo.Context) error {
	return write(c, s, func(ctx context.Context, b *jsonbody.Object) (*model.TransactionResult, error) {
		txnid := b.Text("txnid")
		shell.CallOf(c).Key = apiKey(c, b)
		if err := done(ctx, b); err != nil {
			return nil, err
		}
		return s.Operations.CancelPayment(ctx, txnid)
	})
}
