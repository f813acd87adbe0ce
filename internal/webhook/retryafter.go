package webhook

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ParseRetryAfter reads the header of RFC 9110 section 10.2.3: whole seconds,
// or an HTTP date, which counts from now. The result is between 0 and
// MaxRetryAfter; ok is false for anything else.
func ParseRetryAfter(value string, now time.Time) (wait time.Duration, ok bool) {
	value = strings.TrimSpace(value)
	if allDigits(value) {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(MaxRetryAfter/time.Second) {
			return MaxRetryAfter, true // more digits than an int64 has: longer than the bound
		}
		return time.Duration(seconds) * time.Second, true
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	// Sub saturates, so no date overflows.
	return min(max(at.Sub(now), 0), MaxRetryAfter), true
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
