package session

import (
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"
)

// PageRows is how many rows a page of a list shows.
const PageRows = 50

// BeforeOf returns where a page of a list begins: below the row with this number,
// or with the newest row for 0.
func BeforeOf(c echo.Context) int64 {
	before, err := strconv.ParseInt(c.QueryParam("before"), 10, 64)
	if err != nil || before < 0 {
		return 0
	}
	return before
}

// OlderURL is the address of the next page of a list, with its other parameters
// if they are set.
func OlderURL(path string, before int64, query url.Values) string {
	next := url.Values{"before": {strconv.FormatInt(before, 10)}}
	for name := range query {
		if text := query.Get(name); text != "" {
			next.Set(name, text)
		}
	}
	return WithQuery(path, next)
}

// WithQuery returns a path with a query, which may be empty.
func WithQuery(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}
