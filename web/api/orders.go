package api

import (
	"context"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/web/shell"
)

// getOrder is `getTxnDetails` over REST, at /orders/:txnid and /txn/:txnid. A key
// is optional.
func (s *Surface) getOrder(c echo.Context) error {
	return Answer(c, s, func(ctx context.Context) (*model.TransactionResult, error) {
		return s.Operations.TxnDetails(ctx, shell.CallOf(c).Key, c.Param("txnid"))
	})
}
