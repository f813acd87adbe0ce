package app

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/florinpay/florin/internal/testkit"
)

// TestSinceBoot: a sleep of the machine counts a moment after it; here what is known of it is forgotten instead.
func TestSinceBoot(t *testing.T) {
	t.Parallel()
	sinceBoot()
	slept.Store(0)
	time.Sleep(2 * sleepLooked)
	got := sinceBoot()
	var boot unix.Timespec
	testkit.Must(t, unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot))
	if late := time.Duration(boot.Nano()) - got; late < -time.Millisecond || late > time.Minute {
		t.Errorf("the machine started %s ago, and it is %s", time.Duration(boot.Nano()), got)
	}
}
