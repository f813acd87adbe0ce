package shell

import (
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// summaryEvery is how often answers are summed up in the log.
const summaryEvery = time.Minute

// summary counts answers for one line of the log a minute: a line for each is too much under load, and the metrics say
// more. Its zero value is ready for use.
type summary struct {
	mu      sync.Mutex
	since   time.Time
	ok      int
	refused int // 4xx
	failed  int // 5xx
	slowest time.Duration
}

// add counts an answer at now. It returns the attributes of the line when one is due.
func (s *summary) add(now time.Time, status int, took time.Duration) []slog.Attr {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.IsZero() {
		s.since = now
	}
	switch {
	case status >= http.StatusInternalServerError:
		s.failed++
	case status >= http.StatusBadRequest:
		s.refused++
	default:
		s.ok++
	}
	s.slowest = max(s.slowest, took)
	if now.Sub(s.since) < summaryEvery {
		return nil
	}
	attrs := []slog.Attr{
		slog.Time("since", s.since), slog.Int("ok", s.ok), slog.Int("refused", s.refused), slog.Int("failed", s.failed),
		slog.Duration("slowest", s.slowest),
	}
	s.since, s.ok, s.refused, s.failed, s.slowest = now, 0, 0, 0, 0
	return attrs
}
