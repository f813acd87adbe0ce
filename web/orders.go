package web

import (
	"context"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/model"
)

// getOrder is `getTxnDetails` over REST, at /orders/:txnid and /txn/:txnid.
func (s *Server) getOrder(c echo.Context) error {
	return answer(c, s, func(ctx context.Context) (*model.TransactionResult, error) {
		return s.ops.TxnDetails(ctx, c.Param("txnid"))
	})
}
