package api

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph"
	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/web/shell"
)

func (s *Surface) serveGraphQL(c echo.Context) error {
	err := s.GraphQL.Serve(&afterHeader{ResponseWriter: c.Response(), call: shell.CallOf(c)}, c.Request())
	if errors.Is(err, graph.ErrNotByGet) {
		c.Response().Header().Set(echo.HeaderAllow, http.MethodPost)
		return echo.ErrMethodNotAllowed
	}
	return err
}

// getSchema shows the schema, which the documentation shows as well, for generators of clients.
func getSchema(c echo.Context) error { return c.String(http.StatusOK, schema()) }

// afterHeader adds what an operation reported to the header, just before it is
// written.
type afterHeader struct {
	http.ResponseWriter
	call *operation.Call
}

func (w *afterHeader) WriteHeader(status int) {
	shell.SetCallHeaders(w.Header(), w.call)
	w.ResponseWriter.WriteHeader(status)
}
