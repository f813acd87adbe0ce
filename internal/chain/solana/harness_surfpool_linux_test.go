package solana_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"os/exec"
	"syscall"
	"testing"
	"time"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/testkit"
)

// surfpool is the real Solana virtual machine with the real programs, in a process of its own.
type surfpool struct {
	t      *testing.T
	url    string
	socket string
	rich   solanago.PrivateKey
	queued [][]byte
}

func startSurfpool(t *testing.T) *surfpool {
	t.Helper()
	testkit.MustEngine(t, "@solana/surfpool-linux-x64-gnu")
	directory, err := testkit.EngineDirectory()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command("node", "surfpool.js")
	command.Dir = directory
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // it must not outlive the test
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = command.Wait() // closing stdin ends it; its exit status does not matter
	})
	var hello struct {
		URL    string `json:"url"`
		Socket string `json:"ws"`
		Key    []byte `json:"-"`
		Raw    []int  `json:"key"`
	}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		t.Fatalf("surfpool does not start: %v", err)
	}
	if err := json.Unmarshal(line, &hello); err != nil {
		t.Fatal(err)
	}
	for _, b := range hello.Raw {
		hello.Key = append(hello.Key, byte(b))
	}
	return &surfpool{t: t, url: hello.URL, socket: hello.Socket, rich: solanago.PrivateKey(hello.Key)}
}

func (s *surfpool) URL() string { return s.url }

func (s *surfpool) Blockhash() solanago.Hash {
	var answer struct {
		Value struct {
			Blockhash solanago.Hash `json:"blockhash"`
		} `json:"value"`
	}
	call(s.t, s.url, &answer, "getLatestBlockhash", map[string]any{"commitment": "confirmed"})
	return answer.Value.Blockhash
}

func (s *surfpool) Send(raw []byte) { s.queued = append(s.queued, raw) }

func (s *surfpool) submit(raw []byte) string {
	var signature string
	call(s.t, s.url, &signature, "sendTransaction", base64.StdEncoding.EncodeToString(raw), map[string]any{"encoding": "base64", "skipPreflight": true})
	return signature
}

// Seal makes slots: every transaction has one of its own, except that a failed one shares the next slot.
// Empty slots are skipped by time travel.
func (s *surfpool) Seal(n int) {
	s.t.Helper()
	before := s.slot()
	for _, raw := range s.queued {
		s.execute(raw)
	}
	made := int(s.slot() - before)
	if made < len(s.queued) {
		n = max(n, made+1) // the last ones wait for their slot to end
	}
	s.queued = nil
	s.travel(n - made)
}

// execute submits a transaction and waits until it was executed and, unless it failed, its slot has ended.
func (s *surfpool) execute(raw []byte) {
	s.t.Helper()
	before := s.slot()
	signature := s.submit(raw)
	await(s.t, "a transaction is carried out", func() bool {
		var answer struct {
			Value []*struct {
				Err any `json:"err"`
			} `json:"value"`
		}
		call(s.t, s.url, &answer, "getSignatureStatuses", []string{signature})
		return answer.Value[0] != nil && answer.Value[0].Err != nil || s.slot() > before
	})
}

// await waits until the condition holds.
func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !so() {
		if time.Now().After(deadline) {
			t.Fatalf("timeout while waiting until %s", what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// slot returns the number of the slot in progress.
func (s *surfpool) slot() (now uint64) {
	s.t.Helper()
	call(s.t, s.url, &now, "getSlot", map[string]any{"commitment": "processed"})
	return now
}

func (s *surfpool) travel(slots int) {
	s.t.Helper()
	if slots <= 0 {
		return
	}
	var answer any
	call(s.t, s.url, &answer, "surfnet_timeTravel", map[string]any{"absoluteSlot": s.slot() + uint64(slots)})
}

// surfpoolDepth is a little more than the number of slots by which finalized trails.
const surfpoolDepth = 40

func (s *surfpool) Finalize() { s.Seal(surfpoolDepth) }

// surfpoolRent is its price of rent exemption, in lamports a byte.
const surfpoolRent = 6_960

func newSurfpool(t *testing.T) *harness {
	t.Helper()
	s := startSurfpool(t)
	b := newBank(t, s, s.rich, func(size int) uint64 { return uint64(size+128) * surfpoolRent })
	s.Seal(1)
	s.Seal(2 * surfpoolDepth) // its first slot is final, too
	return newHarness(t, b, s.url)
}
