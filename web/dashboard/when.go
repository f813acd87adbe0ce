package dashboard

import (
	"net/url"
	"strings"
	"time"

	"github.com/florinpay/florin/web/session"
)

// dayFormats are how days are typed into a search.
var dayFormats = []string{
	session.DayFormat, "2.1.2006", "2 January 2006", "2 Jan 2006", "January 2, 2006", "Jan 2, 2006",
}

// whenAsked returns a filter with the times that its search names in the place of the search: a day, an hour or a span
// of hours, alone or with its day before it.
func whenAsked(asked url.Values, now time.Time) url.Values {
	from, until, ok := readWhen(strings.TrimSpace(asked.Get("q")), now)
	if !ok {
		return asked
	}
	filter := filterOf(asked)
	filter.Del("q")
	last := until.Add(-time.Minute) // the filter holds the whole minute
	filter.Set("from", from.Format(session.DayFormat))
	filter.Set("fromTime", from.Format(timeFormat))
	filter.Set("until", last.Format(session.DayFormat))
	filter.Set("untilTime", last.Format(timeFormat))
	return filter
}

// readWhen reads a span of time in the zone of now. An hour without a day is the last that there was.
func readWhen(text string, now time.Time) (from, until time.Time, ok bool) {
	zone := now.Location()
	if day, ok := readDay(text, zone); ok {
		return day, day.AddDate(0, 0, 1), true
	}
	day, clock := session.Day(now), text
	at := strings.LastIndexAny(text, " ,")
	dayNamed := false
	if strings.Contains(text, ":") && at > 0 {
		if day, dayNamed = readDay(strings.TrimRight(text[:at], " ,"), zone); !dayNamed {
			return from, until, false
		}
		clock = text[at+1:]
	}
	first, last, span := strings.Cut(strings.ReplaceAll(clock, "–", "-"), "-")
	begins, err := time.Parse(timeFormat, first)
	if err != nil {
		return from, until, false
	}
	ends := begins.Add(time.Hour)
	if span {
		if ends, err = time.Parse(timeFormat, last); err != nil || !ends.After(begins) {
			return from, until, false
		}
	}
	from = time.Date(day.Year(), day.Month(), day.Day(), begins.Hour(), begins.Minute(), 0, 0, zone)
	if !dayNamed && from.After(now) {
		from = from.AddDate(0, 0, -1)
	}
	return from, from.Add(ends.Sub(begins)), true
}

func readDay(text string, zone *time.Location) (time.Time, bool) {
	for _, format := range dayFormats {
		t, err := time.ParseInLocation(format, text, zone)
		if err == nil && !t.Before(firstDay) && t.Before(endOfDays) {
			return t, true
		}
	}
	return time.Time{}, false
}
