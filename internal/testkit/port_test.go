package testkit_test

import (
	"net"
	"strconv"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

func TestFreePort(t *testing.T) {
	t.Parallel()
	found := make(map[string]bool)
	for range 20 {
		free := testkit.MustPort(t)
		if n, err := strconv.Atoi(free); err != nil || n < 1024 || n >= 32_768 {
			t.Errorf("the port is %s, %v", free, err)
		}
		listener, err := net.Listen("tcp", "127.0.0.1:"+free)
		if err != nil {
			t.Logf("port %s is not free: %v", free, err)
			continue
		}
		defer listener.Close()
		found[free] = true
	}
	if len(found) < 19 { // another process may have taken one meanwhile
		t.Errorf("%d free ports in 20 tries", len(found))
	}
}
