package rpc

import (
	"fmt"
	"regexp"
	"strconv"
	"sync"

	"github.com/florinpay/florin/internal/chain/endpoint"
)

// limits is what a node takes at once, and how far back it goes, as far as was learned.
type limits struct {
	mu         sync.Mutex
	accounts   endpoint.Limit // of getMultipleAccounts
	signatures endpoint.Limit // of a page of getSignaturesForAddress
	slots      endpoint.Limit // of the range of getBlocks
	firstSlot  uint64         // the node has no block before it; 0: not known
	short      map[string]int // by the last signature of a page that is shorter than was asked for: its length
}

const (
	// slotsPerCall is the longest range of getBlocks.
	slotsPerCall = 500_000
	// shortPages bounds how many short pages are remembered.
	shortPages = 64
	// smallestCap is the fewest signatures to which a provider may cut a page without saying so. A shorter page is the
	// last one.
	smallestCap = 10
)

func newLimits() limits {
	return limits{
		accounts:   endpoint.NewLimit(AccountsPerCall, AccountsPerCall),
		signatures: endpoint.NewLimit(SignaturesPerPage, SignaturesPerPage),
		slots:      endpoint.NewLimit(slotsPerCall, slotsPerCall), short: make(map[string]int),
	}
}

// size returns how much to ask for, at most n.
func (w *Client) size(l *endpoint.Limit, n int) int {
	w.limits.mu.Lock()
	defer w.limits.mu.Unlock()
	return min(n, int(l.Size()))
}

func (w *Client) accept(l *endpoint.Limit, n int) {
	w.limits.mu.Lock()
	defer w.limits.mu.Unlock()
	l.Accept(uint64(n), w.Now())
}

// refuse records that n was refused, if the error can mean that. It reports whether less may be taken.
func (w *Client) refuse(l *endpoint.Limit, n int, err error) bool {
	if n <= 1 || !tooMany(err) {
		return false
	}
	w.limits.mu.Lock()
	defer w.limits.mu.Unlock()
	return l.Refuse(uint64(n), endpoint.Hint(err.Error(), uint64(n)), w.Now())
}

// known returns what is known of a limit, to restore it where less does not help.
func (w *Client) known(l *endpoint.Limit) (restore func()) {
	w.limits.mu.Lock()
	defer w.limits.mu.Unlock()
	before := *l
	return func() {
		w.limits.mu.Lock()
		defer w.limits.mu.Unlock()
		*l = before
	}
}

// continued notes that a page follows one that was shorter than was asked for: the node cuts pages without saying so.
func (w *Client) continued(before string, asked int) {
	w.limits.mu.Lock()
	defer w.limits.mu.Unlock()
	if n := w.limits.short[before]; n > 0 && n < asked {
		w.limits.signatures.Refuse(uint64(asked), uint64(n), w.Now())
		delete(w.limits.short, before)
	}
}

// cut notes the end of a page that is shorter than was asked for.
func (w *Client) cut(last string, n int) {
	w.limits.mu.Lock()
	defer w.limits.mu.Unlock()
	if len(w.limits.short) >= shortPages {
		clear(w.limits.short)
	}
	w.limits.short[last] = n
}

// firstAvailable finds the slot in the text of CodeCleanedUp.
var firstAvailable = regexp.MustCompile(`(?i)first available block: (\d{1,19})`)

// cleanedUp notes from which slot on the node has blocks.
func (w *Client) cleanedUp(err error) {
	found := firstAvailable.FindStringSubmatch(err.Error())
	if found == nil {
		return
	}
	slot, err := strconv.ParseUint(found[1], 10, 64)
	if err != nil {
		return
	}
	w.limits.mu.Lock()
	defer w.limits.mu.Unlock()
	w.limits.firstSlot = slot
}

// Learnt says what was found out about the node.
func (w *Client) Learnt() (list []string) {
	w.limits.mu.Lock()
	defer w.limits.mu.Unlock()
	for _, l := range []struct {
		limit     *endpoint.Limit
		name, one string
	}{
		{&w.limits.accounts, "accounts", "a call"},
		{&w.limits.signatures, "signatures", "a page"},
		{&w.limits.slots, "slots", "a range"},
	} {
		if n, found := l.limit.Learnt(); found {
			list = append(list, fmt.Sprintf("%s: %d %s", l.name, n, l.one))
		}
	}
	if n, found := w.Rate.Learnt(); found {
		list = append(list, fmt.Sprintf("rate: %d calls a second", n))
	}
	if w.limits.firstSlot > 0 {
		list = append(list, fmt.Sprintf("history: from slot %d", w.limits.firstSlot))
	}
	return list
}
