package exchange

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// Source says what currencies and tokens are worth. It is read as a whole, in one call.
type Source struct {
	Name string   // in records and pages
	Of   []string // the currencies and tokens that it may have
	// Read returns what it says of them; whatever is missing counts for nothing.
	Read func(ctx context.Context) ([]Reading, error)
	// Spent reports whether the day's budget of calls is spent; nil: there is none.
	Spent func() bool
}

// Feeds are the price feeds of a network as a source. read returns an answer for each.
func Feeds(
	n chain.Network, feeds []chain.Feed, read func(context.Context, []chain.Feed) ([]chain.FeedAnswer, error),
) Source {
	s := Source{Name: "chainlink:" + n.Lower()}
	for _, f := range feeds {
		s.Of = append(s.Of, f.Of)
	}
	s.Read = func(ctx context.Context) ([]Reading, error) {
		answers, err := read(ctx, feeds)
		if err != nil {
			return nil, err
		}
		readings := make([]Reading, len(feeds))
		for i, f := range feeds {
			readings[i] = Reading{
				Of: f.Of, Answer: answers[i].Answer, Decimals: answers[i].Decimals, Description: answers[i].Description,
				UpdatedAt: answers[i].UpdatedAt, MaxAge: f.MaxAge, Problem: answers[i].Problem,
			}
		}
		return readings, nil
	}
	return s
}

// Options are what a Service is made of.
type Options struct {
	Sources []Source
	// Fence reads the reference rates; nil: there is no fence.
	Fence  func(ctx context.Context) (Fence, error)
	Rules  Rules
	Every  time.Duration // between two readings; 0: Every
	Shared Shared
	// Own returns a merchant's own address as a source; nil: merchants have none.
	Own func(address string) Source
	Now func() time.Time
}

const (
	// Every is how often the sources are read while somebody prices in another currency.
	Every = time.Minute
	// coldLimit bounds how long a request waits for a reading.
	coldLimit = 2 * time.Second
	// readLimit bounds a reading. What one source owes by then must not keep a request from what the others have said.
	readLimit = coldLimit - coldLimit/4
	// wantedFor is for how long after the last request the sources are read on.
	wantedFor = 10 * time.Minute
	// fenceEvery is how often reference rates are read: they change once a day.
	fenceEvery = time.Hour
)

// Service knows the rates. It reads the sources while somebody prices in another currency, and nothing otherwise. It is
// safe for concurrent use.
type Service struct {
	o      Options
	listed []Currency
	asked  atomic.Int64 // when somebody asked last, in Unix nanoseconds
	view   atomic.Pointer[View]

	mu      sync.Mutex
	tried   time.Time     // when reading began last
	running chan struct{} // closed when the present reading ends; nil: there is none
	// disagreed is when the sources of a currency were last too far from each other.
	disagreed map[Currency]time.Time

	// Only the present reading uses these.
	fence       Fence
	fenceReadAt time.Time
	bySource    map[string][]Reading

	own own
}

// New returns a service that has read nothing.
func New(o Options) *Service {
	if o.Every == 0 {
		o.Every = Every
	}
	o.Rules.Fenced = o.Fence != nil
	s := &Service{
		o: o, listed: listedOf(o.Sources), bySource: make(map[string][]Reading),
		disagreed: make(map[Currency]time.Time),
	}
	s.own.all = make(map[string]*ownSource)
	s.view.Store(&View{})
	return s
}

// Rate returns the rate of the currency for the merchant's prices. It calls nobody while the rates are warm; otherwise
// it waits for one reading, and for the merchant's own address beside it, at most coldLimit in all. It fails with the
// fault of a Refusal.
func (s *Service) Rate(ctx context.Context, c Currency, p Pricing) (Quote, error) {
	if c == USD {
		return s.decide(c, p, nil) // it needs no source, so none is read for its sake
	}
	own := p.Currency == c && (p.Fixed > 0 || p.URL != "")
	if !own && !slices.Contains(s.Listed(), c) {
		return Quote{}, s.fault(&Refusal{c, Unlisted, fault.Text("no source has it")})
	}
	s.asked.Store(s.o.Now().UnixNano())
	ctx, cancel := context.WithTimeout(ctx, coldLimit)
	defer cancel()
	var readings []Reading
	if own && p.Fixed == 0 {
		s.begin()
		readings = s.ownReadings(ctx, p.URL)
	}
	q, err := s.decide(c, p, readings)
	if err == nil {
		return q, nil
	}
	s.await(ctx, s.begin())
	q, err = s.decide(c, p, readings)
	return q, s.fault(err)
}

func (s *Service) decide(c Currency, p Pricing, own []Reading) (Quote, error) {
	return DecideFor(c, *s.view.Load(), s.o.Rules, p, own, s.o.Now())
}

// fault makes refusals what callers may see.
func (s *Service) fault(err error) error {
	if r, ok := errors.AsType[*Refusal](err); ok {
		return r.Fault(s.o.Every)
	}
	return err
}

// Listed lists the currencies that the sources have, in order. The caller must not change it.
func (s *Service) Listed() []Currency { return s.listed }

// listedOf returns the currencies that the sources have.
func listedOf(sources []Source) (all []Currency) {
	for _, src := range sources {
		for _, of := range src.Of {
			if _, err := money.ParseToken(of); err != nil {
				all = append(all, Currency(of))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Turn reads the sources if somebody has priced in another currency lately, and it is time. It is called often.
func (s *Service) Turn(ctx context.Context) error {
	asked := s.asked.Load()
	if asked == 0 || s.o.Now().Sub(time.Unix(0, asked)) > wantedFor {
		return nil
	}
	s.await(ctx, s.begin())
	s.turnOwn(ctx)
	return nil
}

// begin begins a reading, unless one is under way or the last one began less than a turn ago. It returns what is closed
// at its end; nil: there is none.
func (s *Service) begin() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil || len(s.o.Sources) == 0 && s.o.Fence == nil {
		return s.running
	}
	now := s.o.Now()
	if !s.tried.IsZero() && now.Sub(s.tried) < s.o.Every && !now.Before(s.tried) {
		return nil
	}
	s.tried = now
	done := make(chan struct{})
	s.running = done
	go func() {
		defer close(done)
		ctx, cancel := context.WithTimeout(context.Background(), readLimit)
		defer cancel()
		mine := s.begins(ctx, now)
		if mine {
			s.read(ctx)
		}
		s.publish()
		if mine {
			s.share(ctx)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running = nil
	}()
	return done
}

// await waits for the end of a reading, if there is one.
func (s *Service) await(ctx context.Context, done <-chan struct{}) {
	if done == nil {
		return
	}
	limit := time.NewTimer(coldLimit)
	defer limit.Stop()
	select {
	case <-done:
	case <-limit.C:
	case <-ctx.Done():
	}
}

// read reads the sources and the fence side by side. What a source said before stands, until it is too old, when the
// source cannot be read now.
func (s *Service) read(ctx context.Context) {
	type result struct {
		name     string
		readings []Reading
		err      error
	}
	results := make(chan result, len(s.o.Sources))
	for _, src := range s.o.Sources {
		go func() {
			readings, err := src.read(ctx, s.o.Now)
			results <- result{src.Name, readings, err}
		}()
	}
	s.readFence(ctx)
	for range s.o.Sources {
		r := <-results
		if r.err == nil {
			s.bySource[r.name] = r.readings
		}
	}
}

// publish makes what was read what is known.
func (s *Service) publish() {
	v := View{Readings: make(map[string][]Reading), Fence: s.fence}
	for _, src := range s.o.Sources {
		for _, r := range s.bySource[src.Name] {
			v.Readings[r.Of] = append(v.Readings[r.Of], r)
		}
		if len(s.bySource[src.Name]) == 0 {
			for _, of := range src.Of {
				v.Readings[of] = append(v.Readings[of], Reading{Source: src.Name, Of: of, Problem: unread})
			}
		}
	}
	s.noteDisagreements(v, s.o.Now())
	s.view.Store(&v)
}

// unread is the problem of a source that has not answered yet.
const unread = "it could not be read"

// readFence reads the fence if it is time.
func (s *Service) readFence(ctx context.Context) {
	now := s.o.Now()
	if s.o.Fence == nil || s.fence.Problem == "" && !s.fenceReadAt.IsZero() && now.Sub(s.fenceReadAt) < fenceEvery {
		return
	}
	f, err := s.o.Fence(ctx)
	switch {
	case err == nil:
		s.fence, s.fenceReadAt = f, now
	case s.fenceReadAt.IsZero(): // otherwise the rates of its day stand until they are too old
		s.fence = Fence{Name: f.Name, Problem: err.Error()}
	}
}

// read returns what the source says now.
func (s Source) read(ctx context.Context, now func() time.Time) ([]Reading, error) {
	if s.Spent != nil && s.Spent() {
		return nil, errSpent
	}
	readings, err := s.Read(ctx)
	for i := range readings {
		readings[i].Source, readings[i].ReadAt = s.Name, now()
	}
	return readings, err
}

var errSpent = errors.New("the day's budget of calls is spent")
