package subscription

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// message is what an endpoint sends: the answer to a call, or a push.
type message struct {
	ID     *int            `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	Method string `json:"method"`
	Params struct {
		Subscription json.RawMessage `json:"subscription"`
		Result       json.RawMessage `json:"result"`
	} `json:"params"`
}

// read takes in what is sent until the connection ends.
func (s *session) read() error {
	for {
		_, raw, err := s.conn.ReadMessage()
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
		if err := s.hear(); err != nil {
			return err
		}
		var m message
		if json.Unmarshal(raw, &m) != nil {
			return errors.New("the endpoint sends what is no JSON-RPC")
		}
		if err := s.take(m); err != nil {
			return err
		}
	}
}

// hear records that the endpoint is there.
func (s *session) hear() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = time.Now()
	if err := s.conn.SetReadDeadline(s.heard.Add(2 * silence)); err != nil {
		return fmt.Errorf("read: %w", err)
	}
	return nil
}

// take acts on a message.
func (s *session) take(m message) error {
	if m.ID != nil {
		return s.answered(*m.ID, m)
	}
	s.mu.Lock()
	if err := s.pushed(time.Now()); err != nil {
		s.mu.Unlock()
		return err
	}
	sub := s.byID[string(m.Params.Subscription)]
	if sub == nil {
		s.mu.Unlock()
		return nil // of a subscription that has ended, or was never asked for
	}
	s.feed.count(s.name, m.Method)
	if sub.heads {
		s.head(time.Now())
		s.mu.Unlock()
		s.feed.head()
		return nil
	}
	s.mu.Unlock()
	if set := s.feed.want(); set != nil && s.feed.protocol.News(m.Params.Result, set) {
		s.feed.news()
	}
	return nil
}

// pushed counts a push, and fails if there are too many in a minute; the caller holds the lock.
func (s *session) pushed(now time.Time) error {
	if now.Sub(s.minute) > time.Minute {
		s.minute, s.pushes = now, 0
	}
	if s.pushes++; s.pushes > mostPushes {
		return errFlood
	}
	return nil
}

// head records a new block. Where blocks come too often, they are not wanted any more.
func (s *session) head(now time.Time) {
	if s.heads = append(s.heads, now); len(s.heads) <= HeadsKept {
		return
	}
	s.heads = s.heads[1:]
	if !s.feed.everyHead && s.heads[HeadsKept-1].Sub(s.heads[0]) < (HeadsKept-1)*HeadPace {
		s.noHeads = true
		s.feed.signal()
	}
}

// answered takes in the answer to a call.
func (s *session) answered(id int, m message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, asked := s.asked[id]
	delete(s.asked, id)
	sub := s.current[key]
	switch {
	case !asked || sub == nil:
		return nil
	case m.Error != nil && sub.heads:
		s.noHeads = true
		delete(s.current, key)
		return nil // pings show that it is alive
	case m.Error != nil:
		return fmt.Errorf("%s is refused: %d %s", sub.call.Subscribe, m.Error.Code, m.Error.Message)
	case len(m.Result) == 0 || string(m.Result) == "null":
		return fmt.Errorf("%s is answered without an id", sub.call.Subscribe)
	}
	sub.id = string(m.Result)
	s.byID[sub.id] = sub
	s.feed.signal()
	return nil
}
