package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// GraphQL bounds what a GraphQL request may ask for.
type GraphQL struct {
	Depth      int // of nested fields
	Complexity int // fields of one operation, with every fragment written out
	Aliases    int // of one operation
	RootFields int // of one operation: each is one call
	Tokens     int // of the document's text
	Body       int // bytes of the request
}

// Rates are how often something may be done.
type Rates struct {
	Client Rate // requests of one address
	Key    Rate // operations of one API key
	Costly Rate // operations of one address that cost much
	Open   Rate // payments that one address opens at a merchant's cost
}

// Rate is PerSecond in the long run, and Burst at once.
type Rate struct {
	PerSecond float64
	Burst     int
}

// Bounds of the limits. The least still let every documented operation
// through; the most keep one request from holding the server for seconds,
// since validation takes time with the square of a document's fields.
const (
	leastDepth, mostDepth           = 5, 100
	leastComplexity, mostComplexity = 50, 2_000
	leastAliases, mostAliases       = 1, 1_000
	leastRootFields, mostRootFields = 1, 200
	leastTokens, mostTokens         = 200, 100_000
	leastBody, mostBody             = 4 << 10, 1 << 20

	// One in a thousand seconds is slower than anybody means; a burst above a
	// million limits nobody.
	leastPerSecond = 0.001
	mostPerSecond  = 100_000
	mostBurst      = 1_000_000
)

func limitVariables() []variable {
	list := []variable{
		count("FLORIN_GRAPHQL_MAX_DEPTH", "20", leastDepth, mostDepth, func(d *draft) *int { return &d.GraphQL.Depth }),
		count("FLORIN_GRAPHQL_MAX_COMPLEXITY", "300", leastComplexity, mostComplexity, func(d *draft) *int {
			return &d.GraphQL.Complexity
		}),
		count("FLORIN_GRAPHQL_MAX_ALIASES", "40", leastAliases, mostAliases, func(d *draft) *int {
			return &d.GraphQL.Aliases
		}),
		count("FLORIN_GRAPHQL_MAX_ROOT_FIELDS", "20", leastRootFields, mostRootFields, func(d *draft) *int {
			return &d.GraphQL.RootFields
		}),
		count("FLORIN_GRAPHQL_MAX_TOKENS", "2000", leastTokens, mostTokens, func(d *draft) *int {
			return &d.GraphQL.Tokens
		}),
		count("FLORIN_GRAPHQL_MAX_BODY", "65536", leastBody, mostBody, func(d *draft) *int { return &d.GraphQL.Body }),
	}
	list = append(list, rate("CLIENT", "100", "400", func(d *draft) *Rate { return &d.Rates.Client })...)
	list = append(list, rate("KEY", "100", "400", func(d *draft) *Rate { return &d.Rates.Key })...)
	list = append(list, rate("COSTLY", "0.5", "20", func(d *draft) *Rate { return &d.Rates.Costly })...)
	return append(list, rate("OPEN", "1/30", "30", func(d *draft) *Rate { return &d.Rates.Open })...)
}

// count returns a variable that holds a whole number between two others.
func count(name, fallback string, least, most int64, field func(*draft) *int) variable {
	return text(name, fallback, field, func(text string) (int, error) {
		v, err := parseWhole(text, least, most)
		return int(v), err
	})
}

// rate returns the two variables of a rate.
func rate(name, perSecond, burst string, field func(*draft) *Rate) []variable {
	name = prefix + "RATE_" + name
	return []variable{
		text(name, perSecond, func(d *draft) *float64 { return &field(d).PerSecond }, parsePerSecond),
		count(name+"_BURST", burst, 1, mostBurst, func(d *draft) *int { return &field(d).Burst }),
	}
}

// parsePerSecond reads how often something may be done each second: "0.5", or
// how often in how many seconds: "1/30".
func parsePerSecond(text string) (float64, error) {
	times, seconds, slow := strings.Cut(text, "/")
	v, err := strconv.ParseFloat(times, 64)
	if slow && err == nil {
		var in float64
		in, err = strconv.ParseFloat(seconds, 64)
		v /= in
	}
	if err != nil || math.IsNaN(v) || v < leastPerSecond || v > mostPerSecond {
		return 0, fmt.Errorf("must be times a second such as 0.5, or in how many seconds such as 1/30, between 1/1000 and %d", mostPerSecond)
	}
	return v, nil
}
