package api

import (
	"context"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/jsonbody"
	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/web/shell"
)

// result is a pointer to a result type.
type result[T any] interface {
	*T
	Envelope() model.Envelope
}

// answer runs an operation and writes its result; the status is its code.
func answer[T any, R result[T]](c echo.Context, s *Surface, run func(context.Context) (R, error)) error {
	out := operation.Settle(c.Request().Context(), s.Operations, run)
	code := out.Envelope().Code
	h := c.Response().Header()
	shell.AddHeaders(c)
	if *code == 401 {
		h.Set("WWW-Authenticate", "Bearer")
	}
	b := shell.GetBuffer()
	defer shell.PutBuffer(b)
	if err := jsonbody.Encode(b, out); err != nil {
		return err
	}
	return c.JSONBlob(*code, b.Bytes())
}

// write reads the body of a REST write, runs the operation on it and answers.
// The Idempotency-Key header applies to it.
func write[T any, R result[T]](
	c echo.Context, s *Surface, run func(context.Context, *jsonbody.Object) (R, error),
) error {
	return answer(c, s, func(ctx context.Context) (R, error) {
		body, err := jsonbody.Read(c.Request(), jsonbody.Max)
		if err != nil {
			return nil, err
		}
		if shell.CallOf(c).IdempotencyKey, err = operation.ParseIdempotencyKey(
			c.Request().Header.Get("Idempotency-Key"),
		); err != nil {
			return nil, err
		}
		object, err := jsonbody.Parse(body)
		if err != nil {
			return nil, err
		}
		return run(ctx, object)
	})
}

// done ends the reading of a body: what nobody read of it is named in the answer. It fails with the first field of a
// wrong type.
func done(ctx context.Context, body *jsonbody.Object) error {
	operation.Warn(ctx, body.Unread()...)
	return body.Err()
}

// apiKey returns the API key of a REST request: the body's, or that of one of
// three headers.
func apiKey(c echo.Context, body *jsonbody.Object) secret.Text {
	if key := body.Secret("apiKey"); !key.Empty() {
		return key
	}
	return shell.CallOf(c).Key
}
