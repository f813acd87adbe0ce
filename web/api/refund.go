package api

import (
	"context"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/jsonbody"
	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/web/shell"
)

// postRefund is `refund` over REST.
func (s *Surface) postRefund(c echo.Context) error {
	return write(c, s, func(ctx context.Context, b *jsonbody.Object) (*model.RefundResult, error) {
		in := operation.RefundInput{
			APIKey: apiKey(c, b), Txnid: b.Text("txnid"), Reason: b.Text("reason"),
			Network: model.Network(b.Text("network")), Token: b.Text("token"),
		}
		if b.Has("amount") {
			amount := b.Decimal("amount")
			in.Amount = &amount
		}
		if err := done(ctx, b); err != nil {
			return nil, err
		}
		return s.Operations.Refund(ctx, in)
	})
}

// postCancelRefund is `cancelRefund` over REST.
func (s *Surface) postCancelRefund(c echo.Context) error {
	return write(c, s, func(ctx context.Context, b *jsonbody.Object) (*model.RefundResult, error) {
		key := apiKey(c, b)
		if err := done(ctx, b); err != nil {
			return nil, err
		}
		return s.Operations.CancelRefund(ctx, key, c.Param("id"))
	})
}

// postConfirmRefund is `confirmRefund` over REST.
func (s *Surface) postConfirmRefund(c echo.Context) error {
	return write(c, s, func(ctx context.Context, b *jsonbody.Object) (*model.RefundResult, error) {
		key, hash := apiKey(c, b), b.Text("hash")
		if err := done(ctx, b); err != nil {
			return nil, err
		}
		return s.Operations.ConfirmRefund(ctx, key, c.Param("id"), hash)
	})
}

// getRefund reads a refund, for the key of a header.
func (s *Surface) getRefund(c echo.Context) error {
	return answer(c, s, func(ctx context.Context) (*model.RefundResult, error) {
		return s.Operations.RefundDetails(ctx, shell.CallOf(c).Key, c.Param("id"))
	})
}

// getRefunds is `refunds` over REST, for the key of a header.
func (s *Surface) getRefunds(c echo.Context) error {
	return answer(c, s, func(ctx context.Context) (*model.RefundsResult, error) {
		return s.Operations.RefundsOf(ctx, shell.CallOf(c).Key, c.QueryParam("txnid"))
	})
}
