package api

import (
	"context"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/web/shell"
)

// getOrders is `getTransactions` over REST, for the key of a header. Statuses and networks are read in any case. It
// takes a credit, so it answers no HEAD.
func (s *Surface) getOrders(c echo.Context) error {
	return answer(c, s, func(ctx context.Context) (*model.TransactionsResult, error) {
		first, err := page(ctx, c, "status", "network", "reference", "timeRange", "sortOrder")
		if err != nil {
			return nil, err
		}
		return s.Operations.Transactions(ctx, operation.TransactionsInput{
			APIKey: shell.CallOf(c).Key, First: first, After: c.QueryParam("after"),
			Status:    model.TransactionStatus(strings.ToUpper(c.QueryParam("status"))),
			Network:   model.Network(c.QueryParam("network")),
			Reference: c.QueryParam("reference"), TimeRange: c.QueryParam("timeRange"),
			SortOrder: c.QueryParam("sortOrder"),
		})
	})
}

// getOrder is `getTxnDetails` over REST, at /orders/:txnid and /txn/:txnid. A key
// is optional.
func (s *Surface) getOrder(c echo.Context) error {
	return answer(c, s, func(ctx context.Context) (*model.TransactionResult, error) {
		return s.Operations.TxnDetails(ctx, shell.CallOf(c).Key, c.Param("txnid"))
	})
}
