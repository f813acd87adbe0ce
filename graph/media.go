package graph

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/florinpay/florin/internal/fault"
)

// The media types of an answer.
const (
	mediaJSON    = "application/json"
	mediaGraphQL = "application/graphql-response+json"
	// mediaOld is what mediaGraphQL was called in drafts; who takes it gets JSON.
	mediaOld = "application/graphql+json"
)

var errNotAcceptable = fault.New(
	fault.NotAcceptable, "answers come as %s or %s; accept one of them", mediaGraphQL, mediaJSON,
)

// negotiate returns the media type to answer with. A client that names
// application/graphql-response+json gets it unless it prefers JSON; one that
// takes anything gets JSON, which every client understands.
func negotiate(accept []string) (string, error) {
	if len(accept) == 0 {
		return mediaJSON, nil
	}
	var graphQL, asJSON, anything float64
	for entry := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		media, params, err := mime.ParseMediaType(strings.TrimSpace(entry))
		if err != nil {
			continue
		}
		q := quality(params)
		switch {
		case media == mediaGraphQL:
			graphQL = max(graphQL, q)
		case media == mediaJSON || media == mediaOld:
			asJSON = max(asJSON, q)
		case media == "*/*" || media == "application/*":
			anything = max(anything, q)
		}
	}
	switch {
	case graphQL > 0 && graphQL >= asJSON:
		return mediaGraphQL, nil
	case asJSON > 0 || anything > 0:
		return mediaJSON, nil
	}
	return "", errNotAcceptable
}

// quality is the weight of a media range (RFC 9110 section 12.4.2).
func quality(params map[string]string) float64 {
	text, ok := params["q"]
	if !ok {
		return 1
	}
	q, err := strconv.ParseFloat(text, 64)
	if err != nil || q < 0 || q > 1 {
		return 0
	}
	return q
}

// status is the HTTP status of an answer. For plain JSON it is always 200 and the
// body reports errors, as old clients expect.
func status(mediaType string, failed bool) int {
	if failed && mediaType == mediaGraphQL {
		return http.StatusBadRequest
	}
	return http.StatusOK
}
