package static

import (
	"net/http"
	"strconv"
	"strings"
)

// encodings in the order of preference: token of RFC 9110 section 12.5.3, and suffix of the file.
var encodings = []struct{ token, suffix string }{{"br", ".br"}, {"gzip", ".gz"}}

// encode picks the smallest form the client accepts and names it in the header.
func encode(h http.Header, name, accept string) []byte {
	for _, e := range encodings {
		if accepts(accept, e.token) {
			h.Set("Content-Encoding", e.token)
			return read(name + e.suffix)
		}
	}
	return read(name)
}

// accepts reports whether an Accept-Encoding value names the coding with a weight above zero.
func accepts(header, coding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		token, params, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(token), coding) {
			continue
		}
		weight, found := strings.CutPrefix(strings.TrimSpace(params), "q=")
		if !found {
			return true
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(weight), 64)
		return err == nil && q > 0
	}
	return false
}

func itoa(n int) string { return strconv.Itoa(n) }
