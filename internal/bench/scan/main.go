// Program scan measures the deposit scan: how many transfers a second one core reads over HTTP and matches, against how
// many watched addresses, and how much more a transfer costs among a million addresses than among a thousand.
//
// A second process serves prepared responses of a node, so that only reading is measured: CPU time of this process, not
// wall time.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
)

// The limits of spec.md section 12.
const (
	leastPerSecond = 200_000
	mostRatio      = 1.3
	fewAddresses   = 1_000
	manyAddresses  = 1_000_000
)

func main() {
	serving := flag.Bool("serve", false, "serve the prepared chain (used by the program itself)")
	rounds := flag.Int("rounds", 5, "how often to scan the chain for each figure; the best counts")
	flag.Parse()
	var err error
	if *serving {
		err = serve(os.Stdout, os.Stdin)
	} else {
		err = measure(*rounds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "scan:", err)
		os.Exit(1)
	}
}

func measure(rounds int) error {
	url, stop, err := startNode()
	if err != nil {
		return err
	}
	defer stop()
	costs := make(map[int]time.Duration)
	for _, n := range []int{fewAddresses, manyAddresses} {
		best, err := scanBest(url, n, rounds)
		if err != nil {
			return err
		}
		costs[n] = best
		fmt.Printf("%9d addresses: %6.0f ns CPU per transfer, %9.0f transfers/s per core\n",
			n, float64(best.Nanoseconds())/transfers, transfers/best.Seconds())
	}
	perSecond := transfers / costs[manyAddresses].Seconds()
	ratio := float64(costs[manyAddresses]) / float64(costs[fewAddresses])
	fmt.Printf(
		"%.2f of the %d transfers/s asked for; a transfer costs %.2f times as much among %d addresses (at most %.1f)\n",
		perSecond/leastPerSecond, leastPerSecond, ratio, manyAddresses, mostRatio,
	)
	if perSecond < leastPerSecond || ratio > mostRatio {
		return errors.New("too slow")
	}
	return nil
}

// scanBest scans the whole chain several times and returns the least CPU time.
func scanBest(url string, addresses, rounds int) (best time.Duration, err error) {
	watch := watchSet(addresses)
	a, err := evm.New(evm.Config{Profile: profile(), Endpoints: []string{url}})
	if err != nil {
		return 0, err
	}
	heads, err := a.Heads(context.Background())
	if err != nil {
		return 0, err
	}
	for i := range rounds + 1 { // the first learns how many blocks the node returns at once
		before := cpuTime()
		found, err := a.Scan(context.Background(), 1, heads.Latest, watch)
		if err != nil {
			return 0, err
		}
		spent := cpuTime() - before
		if len(found) != ours {
			return 0, fmt.Errorf("%d transfers found, %d were made", len(found), ours)
		}
		if i == 1 || i > 1 && spent < best {
			best = spent
		}
	}
	return best, nil
}

// watchSet watches the addresses that are paid and many that are not.
func watchSet(n int) *chain.WatchSet {
	set := chain.NewWatchSet(n)
	for i := range n {
		set.Add(chain.AddressOf(network, addressOf(uint64(i))))
	}
	return set
}

// addressOf returns the i-th address; those below the number of payments to us
// are watched in every run.
func addressOf(i uint64) []byte {
	raw := make([]byte, 20)
	// Spread like real ones, which are hashes.
	binary.LittleEndian.PutUint64(raw, (i+1)*0x9e3779b97f4a7c15)
	binary.LittleEndian.PutUint64(raw[8:], (i+1)*0xc2b2ae3d27d4eb4f)
	return raw
}

// cpuTime returns the CPU time of this process on all cores.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // RUSAGE_SELF always works
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// startNode starts the serving process and returns its address.
func startNode() (url string, stop func(), err error) {
	node := exec.Command(os.Args[0], "-serve")
	node.Stderr = os.Stderr
	hold, err := node.StdinPipe() // closing it stops the node
	if err != nil {
		return "", nil, err
	}
	out, err := node.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := node.Start(); err != nil {
		return "", nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	stop = func() {
		_ = hold.Close()
		_, _ = io.Copy(io.Discard, out)
		_ = node.Wait()
	}
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("the node did not start: %w", err)
	}
	return "http://" + line[:len(line)-1], stop, nil
}
