package exchange

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/money"
)

// Report is what is known of the rates, for the operator.
type Report struct {
	ReadAt time.Time // of the newest reading; zero: nothing was read yet
	Fence  Fence
	Fenced bool
	Lines  []Line // tokens, then currencies
}

// Line is one token or currency.
type Line struct {
	Of       string
	Rate     Rate   // 0: there is none
	Refusal  string // why
	Depegged bool   // a token that is not worth a dollar
	// Spread is how far the highest source is above the lowest, in hundredths of a per cent of that.
	Spread  int64
	Sources []SourceLine
	// DisagreedAt is when a source was more than agreePercent from another one last; zero: never since the start.
	DisagreedAt time.Time
}

// SourceLine is what one source says.
type SourceLine struct {
	Name    string
	Rate    Rate // 0: it says nothing that counts
	Age     time.Duration
	Problem string
}

// Refresh reads the sources now, for commands.
func (s *Service) Refresh(ctx context.Context) { s.await(ctx, s.begin()) }

// Report returns what is known now. It reads nothing.
func (s *Service) Report() Report {
	now, v := s.o.Now(), *s.view.Load()
	r := Report{Fence: v.Fence, Fenced: s.o.Rules.Fenced}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range money.Tokens() {
		if l := lineOf(string(t), v, now); len(l.Sources) > 0 {
			l.Depegged = l.Rate > 0 && !pegged(l.Rate, s.o.Rules.PegPercent)
			r.Lines = append(r.Lines, l)
		}
	}
	for _, c := range s.Listed() {
		l := lineOf(string(c), v, now)
		q, err := Decide(c, v, s.o.Rules, now)
		if refusal, ok := errors.AsType[*Refusal](err); ok {
			l.Refusal = refusal.Detail.String()
		}
		l.Rate, l.DisagreedAt = q.Rate, s.disagreed[c]
		r.Lines = append(r.Lines, l)
	}
	for _, list := range v.Readings {
		for _, x := range list {
			if x.ReadAt.After(r.ReadAt) {
				r.ReadAt = x.ReadAt
			}
		}
	}
	return r
}

// Fresh reports whether what is known is of that time, so that it can be judged.
func (r Report) Fresh(now time.Time) bool { return now.Sub(r.ReadAt) <= readWithin }

// lineOf returns what the sources say of a token or a currency.
func lineOf(of string, v View, now time.Time) Line {
	l := Line{Of: of}
	for _, x := range v.Readings[of] {
		rate, problem := x.Value(now)
		age := time.Duration(0)
		if !x.UpdatedAt.IsZero() {
			age = max(now.Sub(x.UpdatedAt), 0)
		}
		l.Sources = append(l.Sources, SourceLine{x.Source, rate, age, problem})
	}
	list, _ := count(v.Readings[of], now)
	if len(list) == 0 {
		return l
	}
	low, high := list[0].rate, list[len(list)-1].rate
	l.Spread = int64((high - low) / max(low/10_000, 1)) // it is shown, and decides nothing
	l.Rate, _ = median(list)
	return l
}

// noteDisagreements records when sources were too far from each other, for the operator.
func (s *Service) noteDisagreements(v View, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.Listed() {
		list, _ := count(v.Readings[string(c)], now)
		if n := len(list); n > 1 && !near(list[0].rate, list[n-1].rate, agreePercent) {
			s.disagreed[c] = now
		}
	}
}

// Text says what is known of the line in one sentence.
func (l Line) Text() string {
	parts := []string{"no rate: " + l.Refusal}
	if l.Refusal == "" {
		parts[0] = l.Rate.String() + " USD"
	}
	for _, x := range l.Sources {
		part := x.Name + ": " + x.Problem
		if x.Problem == "" {
			part = fmt.Sprintf("%s says %s, %s old", x.Name, x.Rate, x.Age.Round(time.Second))
		}
		parts = append(parts, part)
	}
	return strings.Join(append(parts, fmt.Sprintf("spread %d.%02d %%", l.Spread/100, l.Spread%100)), "; ")
}
