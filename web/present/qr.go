package present

import (
	"sync"

	"github.com/florinpay/florin/views"
)

// qrKept is how many codes of a generation are kept: some 2 KB each.
const qrKept = 512

// qrCache keeps QR codes: making one takes half a millisecond, and an open page
// needs the same two again and again. It has two generations; when the young one is
// full the old one is dropped.
type qrCache struct {
	mu         sync.Mutex
	young, old map[string]views.QR
}

func newQRCache() *qrCache { return &qrCache{young: make(map[string]views.QR)} }

// of returns the code of the text, or an empty one if the text is too long.
func (c *qrCache) of(text string) views.QR {
	if q, ok := c.kept(text); ok {
		return q
	}
	q, err := views.NewQR(text)
	if err != nil {
		return views.QR{} // the page shows the text itself beside it
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(text, q)
	return q
}

func (c *qrCache) kept(text string) (views.QR, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if q, ok := c.young[text]; ok {
		return q, true
	}
	q, ok := c.old[text]
	if ok {
		c.keep(text, q)
	}
	return q, ok
}

func (c *qrCache) keep(text string, q views.QR) {
	if len(c.young) >= qrKept {
		c.young, c.old = make(map[string]views.QR), c.young
	}
	c.young[text] = q
}
