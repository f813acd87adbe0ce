package api

import (
	"context"
	"errors"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/web/shell"
)

// getEvents lists the events that webhooks report, for the key of a header: a URL is
// written into logs, so it is no place for a key.
func (s *Surface) getEvents(c echo.Context) error {
	return Answer(c, s, func(ctx context.Context) (*model.EventsResult, error) {
		limit, err := queryInt(c, "limit")
		if err != nil {
			return nil, err
		}
		return s.Operations.Events(ctx, shell.CallOf(c).Key, c.QueryParam("after"), limit)
	})
}

// queryInt reads a whole number of the query; nil if there is none.
func queryInt(c echo.Context, name string) (*int, error) {
	text := c.QueryParam(name)
	if text == "" {
		return nil, nil //nolint:nilnil // none is an answer
	}
	n, err := strconv.Atoi(text)
	if errors.Is(err, strconv.ErrRange) {
		return &n, nil // the largest number, or the smallest: the operation refuses it by its limits
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, "%s must be a whole number", name)
	}
	return &n, nil
}
