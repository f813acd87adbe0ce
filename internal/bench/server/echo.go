package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"github.com/labstack/echo/v4"
)

// echoCommand makes this program serve one file with Echo, in a separate process.
const echoCommand = "echo"

// serveEcho answers every GET with the file's bytes, until standard input ends.
func serveEcho(file string) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.GET("/orders/:txnid", func(c echo.Context) error { return c.JSONBlob(http.StatusOK, body) })
	if e.Listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	fmt.Println(e.Listener.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = e.Close()
	}()
	if err := e.Start(""); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// bareEcho starts the handler and returns its address.
func bareEcho(ctx context.Context, file string) (address string, stop func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.CommandContext(ctx, self, echoCommand, file)
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() error { return errors.Join(in.Close(), cmd.Wait()) }
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", nil, errors.Join(err, stop())
	}
	return strings.TrimSpace(line), stop, nil
}
