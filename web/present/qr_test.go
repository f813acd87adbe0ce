package present

import (
	"strconv"
	"testing"

	"github.com/florinpay/florin/views"
)

func TestQRCache(t *testing.T) {
	t.Parallel()
	c := newQRCache()
	first := c.of("0x71C7656EC7ab88b098defB751B7401B5f6d8976F")
	if first.Size == 0 || c.of("0x71C7656EC7ab88b098defB751B7401B5f6d8976F") != first {
		t.Error("the code changed")
	}
	for i := range 3 * qrKept {
		c.keep(strconv.Itoa(i), views.QR{})
	}
	if n := len(c.young) + len(c.old); n > 2*qrKept {
		t.Errorf("%d codes are kept", n)
	}
	if c.of("") != (views.QR{}) {
		t.Error("an empty text has a code")
	}
}
