package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	solana "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/testkit/engines"
)

// surfpool is the real Solana runtime with the real token programs, in a process of its own.
type surfpool struct {
	url  string
	rich solana.PrivateKey // has SOL
	stop func() error

	client http.Client
}

// slotMilliseconds is about the time of a slot of the cluster.
const slotMilliseconds = "400"

func startSurfpool(ctx context.Context) (*surfpool, error) {
	if _, err := engines.Path("@solana/surfpool-linux-x64-gnu"); err != nil {
		return nil, err
	}
	directory, err := engines.Directory()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), "node", "surfpool.js", "clock", slotMilliseconds)
	cmd.Dir = directory
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // it must not outlive the run
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &surfpool{client: http.Client{Timeout: time.Minute}, stop: func() error {
		err := stdin.Close() // which ends it
		_ = cmd.Wait()       // its exit status does not matter
		return err
	}}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("surfpool does not start: %w", err)
	}
	var hello struct {
		URL string
		Key []int
	}
	if err := json.Unmarshal(line, &hello); err != nil {
		return nil, err
	}
	for _, b := range hello.Key {
		s.rich = append(s.rich, byte(b))
	}
	s.url = hello.URL
	return s, nil
}

// ask makes a JSON-RPC call and decodes its result, which keeps its value if it is null.
func (s *surfpool) ask(ctx context.Context, into any, method string, params ...any) error {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var answer struct {
		Result json.RawMessage
		Error  json.RawMessage
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxRequest)).Decode(&answer); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if answer.Error != nil {
		return fmt.Errorf("%s: %s", method, answer.Error)
	}
	return json.Unmarshal(answer.Result, into)
}

// blockTime returns when a block was made, in seconds of Unix time.
func (s *surfpool) blockTime(ctx context.Context, slot uint64) (seconds int64, err error) {
	err = s.ask(ctx, &seconds, "getBlockTime", slot)
	return seconds, err
}

// mend corrects the time of blocks and transactions, which the runtime reports a thousand times too small; its
// getBlockTime is right.
func (s *surfpool) mend(request, answer []byte) []byte {
	var asked struct {
		Method string
		Params []json.RawMessage
	}
	var said map[string]json.RawMessage
	var result map[string]json.RawMessage
	if json.Unmarshal(request, &asked) != nil || json.Unmarshal(answer, &said) != nil ||
		json.Unmarshal(said["result"], &result) != nil || result["blockTime"] == nil {
		return answer
	}
	slot := result["slot"] // of a transaction
	if asked.Method == "getBlock" && len(asked.Params) > 0 {
		slot = asked.Params[0]
	}
	var number uint64
	if json.Unmarshal(slot, &number) != nil {
		return answer
	}
	at, err := s.blockTime(context.Background(), number)
	if err != nil {
		return answer
	}
	result["blockTime"] = strconv.AppendInt(nil, at, 10)
	if said["result"], err = json.Marshal(result); err != nil {
		return answer
	}
	mended, err := json.Marshal(said)
	if err != nil {
		return answer
	}
	return mended
}
