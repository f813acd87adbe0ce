package evm_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
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

// servesScan makes a copy of this test program serve the prepared chain.
const servesScan = "FLORIN_TEST_SERVE_SCAN"

func TestMain(m *testing.M) {
	if os.Getenv(servesScan) == "" {
		os.Exit(m.Run())
	}
	if err := serveScan(os.Stdout, os.Stdin); err != nil {
		panic(err)
	}
}

// BenchmarkScan measures the deposit scan: how many transfers a second one core reads over HTTP and matches, against
// how many watched addresses, and how much more a transfer costs among a million addresses than among a thousand.
// Another process serves prepared responses of a node, so that only reading is measured, in CPU time of this process.
func BenchmarkScan(b *testing.B) {
	url := startScanNode(b)
	best := make(map[int]time.Duration)
	for _, n := range []int{fewAddresses, manyAddresses} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			set := scanSet(n)
			a, err := evm.New(evm.Config{Profile: scanProfile(), Endpoints: []string{url}})
			if err != nil {
				b.Fatal(err)
			}
			scanOnce(b, a, set) // learns how many blocks the node returns at once
			for b.Loop() {
				if spent := scanOnce(b, a, set); best[n] == 0 || spent < best[n] {
					best[n] = spent
				}
			}
			b.ReportMetric(transfers/best[n].Seconds(), "transfers/CPU-s")
		})
	}
	if best[fewAddresses] == 0 || best[manyAddresses] == 0 {
		return // only one of them was asked for
	}
	perSecond := transfers / best[manyAddresses].Seconds()
	ratio := float64(best[manyAddresses]) / float64(best[fewAddresses])
	if perSecond < leastPerSecond || ratio > mostRatio {
		b.Fatalf("%.0f transfers a second among %d addresses, %.2f times the cost among %d: want %d, at most %.1f",
			perSecond, manyAddresses, ratio, fewAddresses, leastPerSecond, mostRatio)
	}
}

// scanOnce scans the whole chain and returns the CPU time.
func scanOnce(b *testing.B, a *evm.Adapter, set *chain.WatchSet) time.Duration {
	b.Helper()
	heads, err := a.Heads(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	before := cpuTime()
	found, _, err := a.Scan(b.Context(), 1, heads.Latest, set)
	spent := cpuTime() - before
	if err != nil || len(found) != ours {
		b.Fatalf("%d transfers found, %d were made: %v", len(found), ours, err)
	}
	return spent
}

// scanSet watches the addresses that are paid and many that are not.
func scanSet(n int) *chain.WatchSet {
	set := chain.NewWatchSet(n)
	for i := range n {
		set.Add(chain.AddressOf(scanned, scanAddress(uint64(i))))
	}
	return set
}

// scanAddress returns the i-th address; those below the number of payments to us
// are watched in every run.
func scanAddress(i uint64) []byte {
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

// startScanNode starts the serving process, which ends with the benchmark, and returns its address.
func startScanNode(b *testing.B) string {
	b.Helper()
	node := exec.Command(os.Args[0])
	node.Env = append(os.Environ(), servesScan+"=1")
	node.Stderr = os.Stderr
	hold, err := node.StdinPipe() // closing it stops the node
	if err != nil {
		b.Fatal(err)
	}
	out, err := node.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := node.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = hold.Close()
		_ = node.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return "http://" + line[:len(line)-1]
}

// The served chain: blocks with as many transfers of two tokens as a busy second of BNB Smart Chain, one in a thousand
// of them to us.
const (
	scanned   = chain.BEP20
	blocks    = 2_000
	perBlock  = 150
	transfers = blocks * perBlock
	everyOurs = 1_000
	ours      = transfers / everyOurs
)

func scanProfile() chain.Profile {
	for _, p := range chain.Profiles() {
		if p.Network == scanned {
			return p
		}
	}
	panic("no profile") // compiled in
}

// scanNode is the prepared chain.
type scanNode struct {
	logs [][]byte // of each block, as JSON without brackets
}

func prepareScan() *scanNode {
	n := &scanNode{logs: make([][]byte, blocks+1)}
	assets := scanProfile().Assets
	for i := range transfers {
		b := 1 + i/perBlock
		if i%perBlock > 0 {
			n.logs[b] = append(n.logs[b], ',')
		}
		n.logs[b] = append(n.logs[b], scanLog(i, assets[i%len(assets)])...)
	}
	return n
}

// scanLog returns the i-th transfer of the chain in geth's format.
func scanLog(i int, asset chain.Asset) []byte {
	to := scanAddress(uint64(1<<40 + i)) // a stranger
	if i%everyOurs == 0 {
		to = scanAddress(uint64(i / everyOurs))
	}
	number := 1 + i/perBlock
	return fmt.Appendf(
		nil,
		`{"address":"%s","topics":["0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",`+
			`"0x000000000000000000000000%x","0x000000000000000000000000%x"],"data":"0x%064x","blockNumber":"0x%x","transactionHash":"%s",`+
			`"transactionIndex":"0x%x","blockHash":"%s","blockTimestamp":"0x%x","logIndex":"0x%x","removed":false}`,
		asset.Contract,
		scanAddress(uint64(1<<41+i)),
		to,
		1_000_000+i,
		number,
		scanHash("tx", i),
		i%perBlock,
		scanHash("block", number),
		scanTime(number),
		i%perBlock,
	)
}

func scanHash(kind string, i int) string {
	var b [32]byte
	copy(b[:], kind)
	copy(b[24:], strconv.Itoa(i))
	return "0x" + hex.EncodeToString(b[:])
}

func scanTime(number int) int { return 1_700_000_000 + number }

// serveScan answers until input ends. It prints its address first.
func serveScan(out io.Writer, input io.Reader) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: prepareScan(), ReadHeaderTimeout: 5 * time.Second}
	fmt.Fprintln(out, listener.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, input)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = server.Shutdown(ctx)
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

type scanCall struct {
	ID     json.RawMessage
	Method string
	Params []json.RawMessage
}

func (n *scanNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var calls []scanCall
	if err == nil && len(body) > 0 && body[0] == '{' {
		calls = make([]scanCall, 1)
		err = json.Unmarshal(body, &calls[0])
	} else if err == nil {
		err = json.Unmarshal(body, &calls)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var b bytes.Buffer
	for i, c := range calls {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"jsonrpc":"2.0","id":%s,"result":`, c.ID)
		n.answer(&b, c)
		b.WriteByte('}')
	}
	if body[0] == '[' {
		fmt.Fprintf(w, "[%s]", b.Bytes())
		return
	}
	_, _ = w.Write(b.Bytes()) // the client may have disconnected
}

func (n *scanNode) answer(b *bytes.Buffer, c scanCall) {
	switch c.Method {
	case "eth_chainId":
		fmt.Fprintf(b, `"0x%x"`, scanProfile().ChainID)
	case "eth_getBlockByNumber":
		n.block(b, scanText(c.Params[0]))
	case "eth_getTransactionReceipt":
		n.receipt(b, scanText(c.Params[0]))
	case "eth_getLogs":
		n.logsBetween(b, c.Params[0])
	default:
		b.WriteString("null")
	}
}

func scanText(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s) // an invalid one matches no block
	return s
}

func (n *scanNode) block(b *bytes.Buffer, tag string) {
	number := blocks
	if v, err := strconv.ParseInt(tag, 0, 64); err == nil {
		number = int(v)
	}
	fmt.Fprintf(b, `{"number":"0x%x","hash":"%s","timestamp":"0x%x"}`, number, scanHash("block", number), scanTime(number))
}

func (n *scanNode) receipt(b *bytes.Buffer, tx string) {
	raw, err := hex.DecodeString(tx[2:])
	if err != nil {
		b.WriteString("null")
		return
	}
	i, err := strconv.Atoi(string(bytes.TrimRight(raw[24:], "\x00")))
	if err != nil {
		b.WriteString("null")
		return
	}
	number := 1 + i/perBlock
	fmt.Fprintf(b, `{"transactionHash":"%s","blockNumber":"0x%x","blockHash":"%s","status":"0x1","logs":[%s]}`,
		tx, number, scanHash("block", number), scanLog(i, scanProfile().Assets[i%len(scanProfile().Assets)]))
}

func (n *scanNode) logsBetween(b *bytes.Buffer, raw json.RawMessage) {
	var q struct{ FromBlock, ToBlock string }
	_ = json.Unmarshal(raw, &q)
	from, _ := strconv.ParseInt(q.FromBlock, 0, 64)
	to, _ := strconv.ParseInt(q.ToBlock, 0, 64)
	b.WriteByte('[')
	for i := from; i <= to; i++ {
		if i > from {
			b.WriteByte(',')
		}
		b.Write(n.logs[i])
	}
	b.WriteByte(']')
}
