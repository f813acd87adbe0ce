package endpoint

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Parts of the texts, in lower case, by which providers refuse a request because of a rate or a quota. There is no
// standard, and no code that all use. Sources: the behaviours of package chaintest.
var rateTexts = []string{
	"rate limit", "rate-limit", "ratelimit", "too many request", "requests per", "request count", "quota", "credits",
	"throughput", "capacity", "request rate", "rate exceeded", "request limit", "requests limit", "/second",
	"per second", "rps limit", "allowed rps", "usage limit", "throttl", "maximum api usage",
}

// rateCodes are error codes that mean nothing else.
var rateCodes = []int{429, -32029}

// Limited reports whether an error object refuses a request because of a rate or a quota.
func Limited(code int, message string) bool {
	return slices.Contains(rateCodes, code) || contains(message, rateTexts)
}

// prunedTexts are parts of the texts by which nodes say that they no longer have what is so old.
var prunedTexts = []string{
	"missing trie node", "historical state", "history unavailable", "history has been pruned", "pruned", "archive",
	"state is not available", "data before", "older than",
}

// Pruned reports whether an error object says that the node does not have what is so old any more.
func Pruned(message string) bool { return contains(message, prunedTexts) }

func contains(message string, parts []string) bool {
	message = strings.ToLower(message)
	for _, part := range parts {
		if strings.Contains(message, part) {
			return true
		}
	}
	return false
}

// Bounds of the time for which an endpoint that limits the rate rests.
const (
	defaultBackOff = 2 * time.Second
	minBackOff     = time.Second
	maxBackOff     = 5 * time.Minute
)

func backOff(d time.Duration) time.Duration { return min(max(d, minBackOff), maxBackOff) }

// RetryAfter reads the text of the header of that name (RFC 9110 section 10.2.3): seconds, of which some providers send
// fractions, or a date.
func RetryAfter(text string, now time.Time) time.Duration {
	text = strings.TrimSpace(text)
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds >= 0 {
		return backOff(time.Duration(min(seconds, maxBackOff.Seconds()) * float64(time.Second)))
	}
	for _, layout := range []string{httpDate, time.RFC850, time.ANSIC} {
		if date, err := time.Parse(layout, text); err == nil {
			return backOff(date.Sub(now))
		}
	}
	return defaultBackOff
}

// httpDate is the preferred form of a date (RFC 9110 section 5.6.7).
const httpDate = "Mon, 02 Jan 2006 15:04:05 GMT"

// againGo finds a time as Go writes it, in texts such as "retry in 1m30s".
var againGo = regexp.MustCompile(`(?i)(?:retry|try again)\D{0,20}((?:\d{1,6}h)?(?:\d{1,6}m)?\d{1,6}(?:\.\d{1,9})?s)\b`)

// again finds a time in texts such as "try again in 10 seconds".
var again = regexp.MustCompile(`(?i)(?:retry|try again)\D{0,20}(\d{1,6})\s*(ms|milliseconds?|s|sec|seconds?|m|min|minutes?)?\b`)

// BackOff returns how long to rest after an error object that limits the rate: what its data (Infura) or its text says.
func BackOff(message string, data json.RawMessage) time.Duration {
	var hint struct {
		Rate struct {
			Seconds float64 `json:"backoff_seconds"` //nolint:tagliatelle // Infura's name
		} `json:"rate"`
	}
	if json.Unmarshal(data, &hint) == nil && hint.Rate.Seconds > 0 {
		return backOff(time.Duration(min(hint.Rate.Seconds, maxBackOff.Seconds()) * float64(time.Second)))
	}
	if found := againGo.FindStringSubmatch(message); found != nil {
		if d, err := time.ParseDuration(strings.ToLower(found[1])); err == nil {
			return backOff(d)
		}
	}
	found := again.FindStringSubmatch(message)
	if found == nil {
		return defaultBackOff
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		return defaultBackOff
	}
	unit := time.Second
	switch unitText := strings.ToLower(found[2]); {
	case strings.HasPrefix(unitText, "ms"), strings.HasPrefix(unitText, "milli"):
		unit = time.Millisecond
	case strings.HasPrefix(unitText, "m"):
		unit = time.Minute
	}
	return backOff(time.Duration(n) * unit)
}

// sizes finds whole numbers, with thousands separated by commas or as 2K, and the word that follows.
var sizes = regexp.MustCompile(
	`(?i)(?:^|[\s(:=])(\d{1,3}(?:,\d{3})+|\d{1,9})(k?)(?:$|[.,);\]]|-block|\s+([a-z]+)|\s)`,
)

// others are what a number counts that is not the size: of time, of the answer, or of a rate.
var others = regexp.MustCompile(`(?i)^(m?s|sec|seconds?|milliseconds?|minutes?|results?|logs?|events?|[km]?b|bytes?|requests?)$`)

// Hint returns the size that the text of a refusal names: the largest number below what was asked for. Misreading it
// costs some requests, never an answer. It is 0 if there is none.
func Hint(message string, asked uint64) uint64 {
	var best uint64
	for _, found := range sizes.FindAllStringSubmatch(message, -1) {
		n, err := strconv.ParseUint(strings.ReplaceAll(found[1], ",", ""), 10, 64)
		if err != nil || others.MatchString(found[3]) {
			continue
		}
		if found[2] != "" {
			n *= 1_000
		}
		if n < asked {
			best = max(best, n)
		}
	}
	return best
}
