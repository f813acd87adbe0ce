package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/web/shell"
)

func (s *Surface) postGraphQL(c echo.Context) error {
	return s.GraphQL.Serve(&afterHeader{ResponseWriter: c.Response(), call: shell.CallOf(c)}, c.Request())
}

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
