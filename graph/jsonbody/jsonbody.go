// Package jsonbody reads the JSON bodies of requests, for both surfaces.
//
// Its one invariant: nothing is guessed. A body that is too large, not JSON or
// not UTF-8 is refused as a whole; a field of the wrong type is refused by its
// name; a number keeps its digits. Unknown fields are ignored, and the last of
// several fields with one name counts.
package jsonbody

import (
	"bytes"
	"compress/gzip"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/florinpay/florin/internal/fault"
)

// Max is the most bytes a body of REST may have, and one of GraphQL unless the
// operator decides otherwise: far more than any request needs, and little enough
// for thousands at once.
const Max = 64 << 10

// Refusals of a body as a whole.
var (
	ErrNotJSON = fault.New(fault.Unsupported, "the body must be JSON: send Content-Type: application/json")
	errNotUTF8 = fault.New(fault.Invalid, "the body must be JSON in UTF-8")
	errCutOff  = fault.New(fault.Invalid, "the body ended too early")
	errNotGzip = fault.New(fault.Invalid, "the body is not packed by gzip, as Content-Encoding says")
	errCoding  = fault.New(fault.Unsupported, "the body must be plain or packed by gzip; Content-Encoding says otherwise")
)

// Read returns the body of a request whose media type is JSON, if it has at most
// that many bytes, packed by gzip or not. A byte order mark is no part of it.
func Read(r *http.Request, most int) ([]byte, error) {
	if !isJSON(r.Header.Get("Content-Type")) {
		return nil, ErrNotJSON
	}
	if r.ContentLength > int64(most) {
		return nil, tooLarge(most)
	}
	body, err := readAll(r.Body, most)
	switch coding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))); {
	case err != nil:
		return nil, err
	case coding == "gzip" || coding == "x-gzip":
		body, err = unpacked(body, most)
	case coding != "" && coding != "identity":
		err = errCoding
	}
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(body) {
		return nil, errNotUTF8
	}
	return JoinSurrogates(bytes.TrimPrefix(body, []byte("\ufeff"))), nil
}

func readAll(from io.Reader, most int) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(from, int64(most)+1))
	switch {
	case err != nil:
		return nil, errCutOff
	case len(body) > most:
		return nil, tooLarge(most)
	}
	return body, nil
}

// unpacked returns what was packed by gzip, if it has at most that many bytes.
func unpacked(body []byte, most int) ([]byte, error) {
	from, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, errNotGzip
	}
	return readAll(from, most)
}

func tooLarge(most int) error {
	return fault.New(fault.TooLarge, "the body must have at most %d bytes", most)
}

// isJSON also keeps other sites from posting: a browser sends these media types to
// another origin only after a CORS preflight.
func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	media, params, err := mime.ParseMediaType(contentType)
	charset := strings.ToLower(params["charset"])
	isJSON := media == "application/json" || media == "text/json" ||
		strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json")
	return err == nil && isJSON && (charset == "" || charset == "utf-8" || charset == "utf8")
}
