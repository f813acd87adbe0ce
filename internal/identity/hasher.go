package identity

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/alexedwards/argon2id"

	"github.com/florinpay/florin/internal/secret"
)

// hasher hashes passwords, at most maxHashing at once. Known devices and users who
// are signed in have a queue of their own, which goes first: however many strangers
// guess, they wait only for each other.
type hasher struct {
	params  *argon2id.Params
	mu      sync.Mutex
	running int
	first   []chan struct{} // closed when its turn has come
	others  []chan struct{}
}

func newHasher(params *argon2id.Params) *hasher { return &hasher{params: params} }

// turn waits until the caller may hash, in the queue that goes first or in the
// other. The caller must call done afterwards.
func (h *hasher) turn(ctx context.Context, first bool) (done func(), err error) {
	h.mu.Lock()
	if h.running < maxHashing {
		h.running++
		h.mu.Unlock()
		return h.done, nil
	}
	queue := &h.others
	if first {
		queue = &h.first
	}
	if len(*queue) >= maxWaiting {
		h.mu.Unlock()
		return nil, errHashingBusy
	}
	mine := make(chan struct{})
	*queue = append(*queue, mine)
	h.mu.Unlock()
	select {
	case <-mine:
		return h.done, nil
	case <-ctx.Done():
		h.leave(queue, mine)
		return nil, fmt.Errorf("wait to hash a password: %w", ctx.Err())
	}
}

// leave gives up a place in the queue, or the turn that came meanwhile.
func (h *hasher) leave(queue *[]chan struct{}, mine chan struct{}) {
	h.mu.Lock()
	at := slices.Index(*queue, mine)
	if at >= 0 {
		*queue = slices.Delete(*queue, at, at+1)
	}
	h.mu.Unlock()
	if at < 0 {
		h.done()
	}
}

// done passes the turn on.
func (h *hasher) done() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, queue := range []*[]chan struct{}{&h.first, &h.others} {
		if len(*queue) > 0 {
			close((*queue)[0])
			*queue = slices.Delete(*queue, 0, 1)
			return
		}
	}
	h.running--
}

// counts returns how many hash and how many wait.
func (h *hasher) counts() (running, waiting int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.running, len(h.first) + len(h.others)
}

func (h *hasher) hash(ctx context.Context, password secret.Text, first bool) (string, error) {
	done, err := h.turn(ctx, first)
	if err != nil {
		return "", err
	}
	defer done()
	hash, err := argon2id.CreateHash(password.Reveal(), h.params)
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return hash, nil
}

func (h *hasher) verify(ctx context.Context, password secret.Text, hash string, first bool) (bool, error) {
	done, err := h.turn(ctx, first)
	if err != nil {
		return false, err
	}
	defer done()
	ok, err := argon2id.ComparePasswordAndHash(password.Reveal(), hash)
	if err != nil {
		return false, fmt.Errorf("check a password: %w", err)
	}
	return ok, nil
}
