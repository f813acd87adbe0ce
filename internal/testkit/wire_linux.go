package testkit

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// Wire is a path to a server in a network namespace of its own, whose packets can be dropped: what is sent there is
// neither answered nor refused, as behind a switch that has failed. It needs root.
type Wire struct {
	*Path

	t               testing.TB
	namespace, host string
}

// wireTries bounds the search for addresses that no other test uses.
const wireTries = 5

// NewWire returns a wire to the host and port.
func NewWire(t testing.TB, to string) *Wire {
	t.Helper()
	var err error
	for range wireTries {
		n := rand.IntN(1 << 14) //nolint:gosec // not a secret
		w := &Wire{t: t, namespace: "florin" + strconv.Itoa(n)}
		near, far := fmt.Sprintf("fl%da", n), fmt.Sprintf("fl%db", n)
		block := fmt.Sprintf("10.77.%d.", n>>6)
		here := block + strconv.Itoa(n<<2&255+1)
		w.host = block + strconv.Itoa(n<<2&255+2)
		if err = run("netns", "add", w.namespace); err != nil {
			continue
		}
		t.Cleanup(func() { // sockets that wait for an answer keep a namespace alive, and its end of the wire
			_ = run("link", "del", near)
			_ = run("netns", "del", w.namespace)
		})
		for _, args := range [][]string{
			{"link", "add", near, "type", "veth", "peer", "name", far, "netns", w.namespace},
			{"addr", "add", here + "/30", "dev", near},
			{"link", "set", near, "address", "02:77:00:00:00:01", "up"},
			{"-n", w.namespace, "addr", "add", w.host + "/30", "dev", far},
			{"-n", w.namespace, "link", "set", far, "address", "02:77:00:00:00:02", "up"},
			// Whoever has an address is known for good: a wire that drops packets does not say that nobody is there.
			{"neigh", "replace", w.host, "lladdr", "02:77:00:00:00:02", "nud", "permanent", "dev", near},
			{
				"-n", w.namespace, "neigh", "replace", here, "lladdr", "02:77:00:00:00:01", "nud", "permanent",
				"dev", far,
			},
		} {
			if err = run(args...); err != nil {
				t.Fatalf("wire: %v", err)
			}
		}
		w.Path = newPath(t, to, w.listen())
		return w
	}
	t.Skipf("a wire that drops packets needs a network namespace: %v", err)
	return nil
}

// Cut drops every packet from now on, in both directions.
func (w *Wire) Cut() {
	w.t.Helper()
	if err := run("-n", w.namespace, "link", "set", "fl"+w.namespace[len("florin"):]+"b", "down"); err != nil {
		w.t.Fatalf("wire: %v", err)
	}
}

// listen listens in the namespace: a socket stays in that in which it was made.
func (w *Wire) listen() net.Listener {
	w.t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	enter := func(path string) *os.File {
		w.t.Helper()
		f, err := os.Open(path)
		if err != nil {
			w.t.Fatalf("wire: %v", err)
		}
		return f
	}
	ours, theirs := enter("/proc/thread-self/ns/net"), enter("/run/netns/"+w.namespace)
	defer ours.Close()
	defer theirs.Close()
	if err := unix.Setns(int(theirs.Fd()), unix.CLONE_NEWNET); err != nil {
		w.t.Fatalf("wire: %v", err)
	}
	l, err := net.Listen("tcp", w.host+":0") //nolint:noctx // it ends with the test
	if back := unix.Setns(int(ours.Fd()), unix.CLONE_NEWNET); back != nil {
		panic(back) // the thread would go on in there
	}
	if err != nil {
		w.t.Fatalf("wire: %v", err)
	}
	return l
}

// run runs ip.
func run(args ...string) error {
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %v: %w: %s", args, err, out)
	}
	return nil
}
