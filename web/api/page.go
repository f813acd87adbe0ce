package api

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/jsonbody"
	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/fault"
)

// otherPaging are names by which other interfaces turn pages. A list that ignored them would give, and charge for, the
// first page each time.
var otherPaging = []string{
	"page", "pageno", "pagenumber", "pageindex", "pagesize", "perpage", "offset", "skip", "cursor", "before", "last",
	"size", "count", "max", "maxresults", "top", "take", "start", "startingafter", "endingbefore", "nextafter",
	"endcursor", "pagetoken",
}

// page reads how long a page is to be: first and limit are two names of it; nil if there is none. It refuses names of
// pages that are none of the list's, which has first, limit, after and the others, and warns of what else is no name.
func page(ctx context.Context, c echo.Context, others ...string) (*int, error) {
	query := c.QueryParams()
	paging := []string{"first", "limit", "after"}
	known := append(slices.Clone(paging), others...)
	for _, name := range slices.Sorted(maps.Keys(query)) {
		plain := strings.ToLower(strings.NewReplacer("_", "", "-", "", "[", "", "]", "").Replace(name))
		switch {
		case slices.Contains(known, name):
		case slices.Contains(otherPaging, plain) || slices.Contains(paging, plain):
			return nil, fault.About(fault.Invalid, name, "is no name here: pages are turned with first (or limit) and after")
		default:
			operation.Warn(ctx, jsonbody.Unknown("parameter", name, known))
		}
	}
	first, err := queryInt(c, "first")
	if err != nil {
		return nil, err
	}
	limit, err := queryInt(c, "limit")
	switch {
	case err != nil || first == nil:
		return limit, err
	case limit != nil && *limit != *first:
		return nil, fault.About(fault.Invalid, "limit", "is another name of first: send one of them")
	}
	return first, nil
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
