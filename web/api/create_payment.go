package api

import (
	"context"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/jsonbody"
	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/graph/operation"
)

// postCreatePayment is `payment` over REST.
func (s *Surface) postCreatePayment(c echo.Context) error {
	return write(c, s, func(ctx context.Context, b *jsonbody.Object) (*model.PaymentResult, error) {
		in := operation.PaymentInput{
			APIKey: apiKey(c, b), Amount: b.Decimal("amount"), Price: b.Price("price"),
			Currency: b.Text("currency"), Reference: b.Words("reference"),
			Description: b.Words("description"),
			SuccessURL:  b.Text("successUrl"), CancelURL: b.Text("cancelUrl"), Metadata: b.Strings("metadata"),
			ExpiresInMinutes: b.Int("expiresInMinutes"), CustomerEmail: b.Loose("customerEmail"),
		}
		if err := done(ctx, b); err != nil {
			return nil, err
		}
		return s.Operations.Payment(ctx, in)
	})
}
