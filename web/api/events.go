package api

import (
	"context"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/web/shell"
)

// getEvents lists the events that webhooks report, for the key of a header: a URL is
// written into logs, so it is no place for a key.
func (s *Surface) getEvents(c echo.Context) error {
	return answer(c, s, func(ctx context.Context) (*model.EventsResult, error) {
		limit, err := page(ctx, c)
		if err != nil {
			return nil, err
		}
		return s.Operations.Events(ctx, shell.CallOf(c).Key, c.QueryParam("after"), limit)
	})
}
