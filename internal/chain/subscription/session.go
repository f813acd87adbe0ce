package subscription

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/florinpay/florin/internal/chain"
)

// Limits of a connection.
const (
	// maxMessage bounds what is pushed at once, in bytes: a block's header has some kilobytes.
	maxMessage = 256 << 10
	// connectLimit bounds the handshake, and answerLimit how long a subscription may take.
	connectLimit = 10 * time.Second
	answerLimit  = 10 * time.Second
	writeLimit   = 5 * time.Second
	// pingEvery is how often the endpoint must show that it is there, and silence how long it may say nothing at all.
	pingEvery = 2 * time.Second
	silence   = 5 * time.Second
	// HeadsKept is over how many heads their pace is measured. Where they come faster than HeadPace they cost more than
	// they are worth, since providers charge for each: then pings alone show that the connection is alive.
	HeadsKept = 8
	HeadPace  = 2 * time.Second
	// blocksSilent is how many blocks may be missing, at the pace they had, until the endpoint counts as silent.
	blocksSilent = 3
	// mostPushes is how many messages a minute may be pushed: pushes count towards the budget of calls, which one
	// endpoint must not spend. Above it a subscription saves nothing, since each push has the network read.
	mostPushes = 400
)

var (
	errSilent = errors.New("the endpoint is silent")
	errFlood  = errors.New("the endpoint pushes too much")
)

// subscribed is a subscription of a session.
type subscribed struct {
	call  Call
	heads bool
	asked time.Time
	id    string // as the endpoint names it; empty: not answered yet
}

// session is one connection.
type session struct {
	feed *Feed
	name string
	conn *websocket.Conn

	mu      sync.Mutex
	next    int
	asked   map[int]string // keys of subscriptions by the id of the request
	current map[string]*subscribed
	byID    map[string]*subscribed
	set     *chain.WatchSet // that current is for; nil: not all of it is subscribed to
	whole   bool            // no address was left out
	heard   time.Time       // when anything last came
	heads   []time.Time     // when the last heads came
	noHeads bool
	// pushes came since the minute began.
	pushes int
	minute time.Time
}

// listen connects to the endpoint and listens until nothing is wanted any more, which is no error.
func (f *Feed) listen(ctx context.Context, e *source) error {
	conn, err := dial(ctx, e)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // it may have ended already
	s := &session{
		feed: f, name: e.url.Host(), conn: conn, asked: make(map[int]string), current: make(map[string]*subscribed),
		byID: make(map[string]*subscribed), heard: time.Now(),
	}
	conn.SetReadLimit(maxMessage)
	conn.SetPongHandler(func(string) error { return s.hear() })
	f.open(s)
	defer f.open(nil)
	ended := make(chan error, 1)
	go func() { ended <- s.read() }()
	err = s.run(ctx, ended)
	if err != nil && !errors.Is(err, errFlood) {
		err = errors.New(e.url.Redact(err.Error()))
	}
	return err
}

// open publishes the session, or that there is none.
func (f *Feed) open(s *session) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.session = s
}

// dial connects. Redirects are not followed, and no error shows the address.
func dial(ctx context.Context, e *source) (*websocket.Conn, error) {
	target, err := url.Parse(e.url.Reveal())
	if err != nil {
		return nil, errors.New("the address is malformed")
	}
	header := http.Header{}
	if target.User != nil {
		password, _ := target.User.Password()
		pair := target.User.Username() + ":" + password
		header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(pair)))
		target.User = nil
	}
	dialer := websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: connectLimit}
	conn, response, err := dialer.DialContext(ctx, target.String(), header)
	if response != nil {
		_ = response.Body.Close() // there is nothing in it that is needed
	}
	if err != nil && response != nil {
		return nil, fmt.Errorf("the endpoint takes no WebSocket: HTTP status %d", response.StatusCode)
	}
	if err != nil {
		return nil, e.url.Failure(err)
	}
	return conn, nil
}

// run asks for what is wanted and watches over the connection.
func (s *session) run(ctx context.Context, ended <-chan error) error {
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		wanted := s.feed.want()
		if wanted == nil {
			return nil
		}
		if err := s.subscribe(wanted); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case err := <-ended:
			return err
		case <-s.feed.changed:
		case <-ping.C:
			if err := s.check(time.Now()); err != nil {
				return err
			}
			if err := s.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeLimit)); err != nil {
				return fmt.Errorf("ping: %w", err)
			}
		}
	}
}

// subscribe asks for the subscriptions that are missing, and ends those that are not wanted once all that are wanted
// stand: no moment is left out between the old and the new.
func (s *session) subscribe(wanted *chain.WatchSet) error {
	calls, whole := s.feed.protocol.Money(wanted)
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := make(map[string]bool, len(calls)+1)
	stand := true
	for i, c := range append(calls, s.feed.protocol.Heads) {
		heads := i == len(calls)
		if heads && s.noHeads {
			break
		}
		key := keyOf(c)
		keys[key] = true
		if s.current[key] == nil {
			s.current[key] = &subscribed{call: c, heads: heads, asked: time.Now()}
			if err := s.request(key, c.Subscribe, c.Params); err != nil {
				return err
			}
		}
		stand = stand && (heads || s.current[key].id != "")
	}
	s.set, s.whole = nil, whole
	if !stand {
		return nil
	}
	s.set = wanted
	for key, sub := range s.current {
		if keys[key] || sub.id == "" {
			continue
		}
		delete(s.current, key)
		delete(s.byID, sub.id)
		if err := s.request("", sub.call.Unsubscribe, []any{json.RawMessage(sub.id)}); err != nil {
			return err
		}
	}
	return nil
}

// keyOf identifies a subscription.
func keyOf(c Call) string {
	params, err := json.Marshal(c.Params)
	if err != nil {
		panic(err) // strings and lists of them
	}
	return c.Subscribe + string(params)
}

// request sends a call; the caller holds the lock, and is the only one that writes.
func (s *session) request(key, method string, params []any) error {
	if params == nil {
		params = []any{}
	}
	s.next++
	if key != "" {
		s.asked[s.next] = key
	}
	s.feed.count(s.name, method)
	err := s.conn.SetWriteDeadline(time.Now().Add(writeLimit))
	if err == nil {
		err = s.conn.WriteJSON(map[string]any{"jsonrpc": "2.0", "id": s.next, "method": method, "params": params})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// check fails if the endpoint says nothing, or no longer pushes blocks, or does not answer.
func (s *session) check(now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.heard) > silence {
		return errSilent
	}
	if gap := s.headGap(); gap > 0 && now.Sub(s.heads[len(s.heads)-1]) > gap {
		return fmt.Errorf("%w: no new block for %s", errSilent, now.Sub(s.heads[len(s.heads)-1]).Round(time.Second))
	}
	for _, sub := range s.current {
		if sub.id == "" && now.Sub(sub.asked) > answerLimit {
			return fmt.Errorf("%w: %s is not answered", errSilent, sub.call.Subscribe)
		}
	}
	return nil
}

// headGap is how long heads may be missing; 0: their pace is not known.
func (s *session) headGap() time.Duration {
	if s.noHeads || len(s.heads) < HeadsKept {
		return 0
	}
	pace := s.heads[len(s.heads)-1].Sub(s.heads[0]) / (HeadsKept - 1)
	return max(blocksSilent*pace, silence)
}

// live reports whether money to all of the addresses would be pushed.
func (s *session) live(set *chain.WatchSet) bool {
	if s.check(time.Now()) != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.set == set && s.whole
}

// ready reports whether what is wanted is subscribed to.
func (s *session) ready() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.set != nil
}
