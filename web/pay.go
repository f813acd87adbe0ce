package web

import (
	"context"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/jsonbody"
	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/graph/operation"
)

// postPay starts a payment: of the key, if one is shown in the body or a
// header, and otherwise for anybody who knows its txnid.
func (s *Server) postPay(c echo.Context) error {
	return write(c, s, func(ctx context.Context, b *jsonbody.Object) (*model.TransactionResult, error) {
		in := operation.StartInput{
			Txnid: b.Text("txnid"), Network: model.Network(b.Text("network")), Token: model.Token(b.Text("token")),
		}
		key := apiKey(c, b)
		if err := b.Err(); err != nil {
			return nil, err
		}
		if key.Empty() {
			return s.ops.StartPublic(ctx, in)
		}
		return s.ops.StartPayment(ctx, key, in)
	})
}
