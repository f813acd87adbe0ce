package operation

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/fault"
)

// rangeForm is a number and a unit: 24h, 7d, 1week, 1 month. "m" alone could
// be minutes or months, so it is neither.
var rangeForm = regexp.MustCompile(`^([1-9]\d{0,3}) ?(h|hour|d|day|w|week|month|y|year)s?$`)

// since returns when a time range began, at the earliest in 1970: before that
// there were no payments, and not every database knows all the years before.
// Months and years are those of the calendar.
func since(text string, now time.Time) (time.Time, error) {
	began, err := before(text, now)
	if epoch := time.Unix(0, 0).UTC(); err == nil && began.Before(epoch) {
		began = epoch
	}
	return began, err
}

func before(text string, now time.Time) (time.Time, error) {
	m := rangeForm.FindStringSubmatch(strings.ToLower(strings.TrimSpace(text)))
	if m == nil {
		return time.Time{}, fault.New(fault.Invalid, "timeRange must be a number and a unit, such as 24h, 7d, 1week, 1month or 1year")
	}
	n, _ := strconv.Atoi(m[1]) // at most four digits
	switch m[2] {
	case "h", "hour":
		return now.Add(-time.Duration(n) * time.Hour), nil
	case "d", "day":
		return now.AddDate(0, 0, -n), nil
	case "w", "week":
		return now.AddDate(0, 0, -7*n), nil
	case "month":
		return monthsBefore(now, n), nil
	}
	return monthsBefore(now, 12*n), nil
}

// monthsBefore returns the same day of an earlier month, or that month's last
// day where it has no such day.
func monthsBefore(now time.Time, n int) time.Time {
	first := time.Date(
		now.Year(), now.Month()-time.Month(n), 1, now.Hour(), now.Minute(), now.Second(), now.Nanosecond(),
		now.Location(),
	)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(now.Day(), last)-1)
}
