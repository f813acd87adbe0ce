package exchange

import (
	"context"
	"sync"
	"time"
)

// own are the merchants' own addresses that were asked for lately. Each instance asks each of them as often as the
// other sources, while its merchant prices.
type own struct {
	mu  sync.Mutex
	all map[string]*ownSource
}

type ownSource struct {
	source   Source
	asked    time.Time // when a price needed it last
	tried    time.Time // when it was asked last
	readings []Reading
}

// maxOwn bounds how many addresses are asked: more than that are refused until some rest.
const maxOwn = 200

// readings returns what the address has said, and asks it where that is cold. It waits coldLimit at most.
func (s *Service) ownReadings(ctx context.Context, address string) []Reading {
	if address == "" || s.o.Own == nil {
		return nil
	}
	now := s.o.Now()
	s.own.mu.Lock()
	x, known := s.own.all[address]
	if !known && len(s.own.all) < maxOwn {
		x = &ownSource{source: s.o.Own(address)}
		s.own.all[address] = x
	}
	cold := false
	if x != nil {
		x.asked = now
		cold = x.due(now, s.o.Every)
	}
	s.own.mu.Unlock()
	if cold {
		s.readOwn(ctx, x)
	}
	s.own.mu.Lock()
	defer s.own.mu.Unlock()
	if x == nil {
		return nil
	}
	return x.readings
}

// due reports whether it is time to ask, and notes it.
func (x *ownSource) due(now time.Time, every time.Duration) bool {
	if !x.tried.IsZero() && now.Sub(x.tried) < every && !now.Before(x.tried) {
		return false
	}
	x.tried = now
	return true
}

func (s *Service) readOwn(ctx context.Context, x *ownSource) {
	ctx, cancel := context.WithTimeout(ctx, coldLimit)
	defer cancel()
	readings, err := x.source.read(ctx, s.o.Now)
	if err != nil {
		return // what it said before stands until it is too old
	}
	s.own.mu.Lock()
	defer s.own.mu.Unlock()
	x.readings = readings
}

// turnOwn asks the addresses that are wanted and due, side by side, and forgets the others.
func (s *Service) turnOwn(ctx context.Context) {
	now := s.o.Now()
	var wait sync.WaitGroup
	s.own.mu.Lock()
	for address, x := range s.own.all {
		if now.Sub(x.asked) > wantedFor {
			delete(s.own.all, address)
		} else if x.due(now, s.o.Every) {
			wait.Go(func() { s.readOwn(ctx, x) })
		}
	}
	s.own.mu.Unlock()
	wait.Wait()
}
