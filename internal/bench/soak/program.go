package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// program is the built program with its database. It serves on one port, also after it was killed.
type program struct {
	dir     string
	address string
	key     string // of the merchant, once there is one
	environ []string
	client  http.Client

	mu      sync.Mutex
	running *exec.Cmd
	log     *os.File
}

const (
	// secretKey is 32 bytes in base64.
	secretKey = "c29hayBzb2FrIHNvYWsgc29hayBzb2FrIHNvYWsgMzI="
	// patience bounds one run of a command, and the start of the server.
	patience = 3 * time.Minute
	// requestTime bounds a request to the program.
	requestTime = 30 * time.Second
	maxAnswer   = 1 << 20
)

// build compiles the program into the directory and chooses its port.
func build(ctx context.Context, dir string) (*program, error) {
	cmd := exec.CommandContext(
		ctx, "go", "build", "-buildvcs=false", "-o", filepath.Join(dir, "florin"), "./cmd/florin",
	)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("build florin: %w", err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it is closed at once
	if err != nil {
		return nil, err
	}
	p := &program{dir: dir, address: free.Addr().String(), client: http.Client{Timeout: requestTime}}
	p.environ = []string{
		"PATH=" + os.Getenv("PATH"), "FLORIN_SECRET_KEY=" + secretKey,
		"FLORIN_LISTEN=" + p.address, "FLORIN_DRAIN_WAIT=0s",
		"FLORIN_DATABASE_URL=sqlite://" + filepath.Join(dir, "florin.db"),
	}
	return p, free.Close()
}

func (p *program) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(p.dir, "florin"), args...)
	cmd.Dir, cmd.Env = p.dir, p.environ
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// call runs a command of the program and returns its output, also if it fails.
func (p *program) call(ctx context.Context, stdin string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := p.command(ctx, args...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(stdin), &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("florin %v: %w: %s", args, err, &stderr)
	}
	return string(out), err
}

// serve starts the program and waits until it answers.
func (p *program) serve(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	if p.log == nil {
		if p.log, err = os.Create(filepath.Join(p.dir, "florin.log")); err != nil {
			return err
		}
	}
	cmd := p.command(context.WithoutCancel(ctx), "serve") // it ends with kill
	cmd.Stderr = p.log
	if err := cmd.Start(); err != nil {
		return err
	}
	p.running = cmd
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if _, err = p.do(ctx, http.MethodGet, "/health", nil, nil); err == nil {
			return nil
		}
		if ctx.Err() != nil || time.Now().After(deadline) {
			return fmt.Errorf("florin does not serve: %w", err)
		}
	}
}

// kill ends the program as a power cut does.
func (p *program) kill() error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running == nil {
		return nil
	}
	err := p.running.Process.Kill()
	_ = p.running.Wait() // it says that the process was killed
	p.running = nil
	return err
}

// do makes a request and decodes the answer, which may have any status.
func (p *program) do(ctx context.Context, method, path string, body, into any) (status int, err error) {
	var content io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return 0, err
		}
		content = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+p.address+path, content)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	if p.key != "" {
		req.Header.Set("X-Api-Key", p.key)
	}
	res, err := p.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil || into == nil {
		return res.StatusCode, err
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return res.StatusCode, errors.Join(fmt.Errorf("%s %s: status %d", method, path, res.StatusCode), err)
	}
	return res.StatusCode, nil
}
