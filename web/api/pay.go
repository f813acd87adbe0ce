package api

import (
	"context"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/jsonbody"
	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/secret"
)

// postPay starts a payment: a credit top-up for a session token, a payment of
// the key for a key in the body or a header, and without either any payment whose
// txnid the caller knows.
func (s *Surface) postPay(c echo.Context) error {
	return write(c, s, func(ctx context.Context, b *jsonbody.Object) (*model.TransactionResult, error) {
		in := operation.StartInput{
			Txnid: b.Text("txnid"), Network: model.Network(b.Text("network")), Token: model.Token(b.Text("token")),
		}
		key := apiKey(c, b)
		if err := done(ctx, b); err != nil {
			return nil, err
		}
		switch {
		case key.Empty():
			return s.Operations.StartPublic(ctx, in)
		case isSession(key):
			return s.Operations.StartTopUp(ctx, in)
		}
		return s.Operations.StartPayment(ctx, key, in)
	})
}

// sessionPrefix distinguishes a session token from an API key.
const sessionPrefix = "fls_"

func isSession(t secret.Text) bool { return strings.HasPrefix(t.Reveal(), sessionPrefix) }
