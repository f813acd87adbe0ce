package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// florin is the running program, with a merchant who accepts money on POLYGON.
type florin struct {
	cmd     *exec.Cmd
	address string
	key     string
	drained chan struct{} // its log has been read to the end
}

// secretKey is 32 bytes in base64.
const secretKey = "YmVuY2ggYmVuY2ggYmVuY2ggYmVuY2ggYmVuY2ggYmU="

// patience bounds one run of a command, and the start of the server.
const patience = time.Minute

var servesAt = regexp.MustCompile(`address=(127\.0\.0\.1:\d+)`)

func (l *lab) environ(database string) []string {
	return append(
		[]string{
			"FLORIN_SECRET_KEY=" + secretKey, "FLORIN_DATABASE_URL=" + database, "FLORIN_LISTEN=127.0.0.1:0",
			"FLORIN_DRAIN_WAIT=0s",
		},
		l.chainEnv...)
}

func (l *lab) command(ctx context.Context, database string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, l.binary, args...)
	cmd.Dir, cmd.Env = l.dir, l.environ(database)
	return cmd
}

// run runs a command of the program to its end.
func (l *lab) run(ctx context.Context, database, stdin string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := l.command(ctx, database, args...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(stdin), &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("florin %v: %w: %s", args, err, &stderr)
	}
	return out, nil
}

// serve starts the program and waits until it logs its address.
func (l *lab) serve(ctx context.Context, database string) (*florin, error) {
	f := &florin{cmd: l.command(ctx, database, "serve"), drained: make(chan struct{})}
	out, err := f.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := f.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	var said strings.Builder
	for f.address == "" && lines.Scan() {
		said.WriteString(lines.Text() + "\n")
		if m := servesAt.FindStringSubmatch(lines.Text()); m != nil {
			f.address = m[1]
		}
	}
	if f.address == "" {
		return nil, errors.Join(fmt.Errorf("florin does not serve: %s", &said), f.cmd.Wait())
	}
	go func() {
		defer close(f.drained)
		for lines.Scan() {
			continue
		}
	}()
	return f, nil
}

func (f *florin) stop() error {
	if err := f.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	<-f.drained
	return f.cmd.Wait()
}

// open serves the database with a merchant who has a key, credits and a wallet.
func (l *lab) open(ctx context.Context, database string) (*florin, error) {
	if _, err := l.run(ctx, database, "", "migrate"); err != nil {
		return nil, err
	}
	if _, err := l.run(
		ctx, database, "correct horse battery\n", "user", "create", "--email", "shop@example.com", "--json",
	); err != nil {
		return nil, err
	}
	out, err := l.run(
		ctx, database, "", "key", "create", "--email", "shop@example.com", "--credits", "1000000", "--json",
	)
	if err != nil {
		return nil, err
	}
	var made struct{ Key string }
	if err := json.Unmarshal(out, &made); err != nil {
		return nil, err
	}
	f, err := l.serve(ctx, database)
	if err != nil {
		return nil, err
	}
	f.key = made.Key
	if err := f.equip(ctx, l.callback); err != nil {
		return nil, errors.Join(err, f.stop())
	}
	return f, nil
}

const settlementWallet = "0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0"

// equip makes the custodian and waits until POLYGON is offered.
func (f *florin) equip(ctx context.Context, callback string) error {
	c, err := dial(ctx, f.address)
	if err != nil {
		return err
	}
	defer c.conn.Close()
	body := fmt.Appendf(
		nil,
		`{"query":"mutation { createCustodianAccount(input: {apiKey: \"%s\", name: \"Bench\", callbackUrl: \"%s\", wallets: {polygon: \"%s\"}}) { code message } }"}`,
		f.key, callback, settlementWallet,
	)
	status, answer, err := c.post("/graphql", body)
	if err != nil || status != http.StatusOK || !bytes.Contains(answer, []byte(`"code":200`)) {
		return errors.Join(err, errStatus("createCustodianAccount", status, answer))
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		err := f.life(c)
		if err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

func (f *florin) createBody() []byte { return fmt.Appendf(nil, `{"apiKey":%q,"amount":12.50}`, f.key) }

func (f *florin) create(c *client) (txnid string, err error) {
	status, answer, err := c.post("/create-payment", f.createBody())
	if err != nil {
		return "", err
	}
	if status != http.StatusOK {
		return "", errStatus("create-payment", status, answer)
	}
	_, rest, _ := bytes.Cut(answer, []byte(`"txnid":"`))
	id, _, ok := bytes.Cut(rest, []byte(`"`))
	if !ok {
		return "", errStatus("create-payment", status, answer)
	}
	return string(id), nil
}

// life creates a payment and starts it, until it has an address.
func (f *florin) life(c *client) error {
	_, err := f.started(c)
	return err
}

func (f *florin) started(c *client) (string, error) {
	txnid, err := f.create(c)
	if err != nil {
		return "", err
	}
	status, answer, err := c.post("/pay", fmt.Appendf(nil, `{"txnid":%q,"network":"POLYGON","token":"USDC"}`, txnid))
	if err == nil && status != http.StatusOK {
		err = errStatus("pay", status, answer)
	}
	return txnid, err
}

// resident returns the resident memory of the process in bytes.
func (f *florin) resident() (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", f.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := bytes.Cut(status, []byte("VmRSS:"))
	text, _, ok := bytes.Cut(rest, []byte("kB"))
	if !ok {
		return 0, errors.New("the system does not say how much memory a process has")
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n << 10, err
}
