package main_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/testkit"
)

// echoFile names the file that this program serves with Echo instead of running tests.
const echoFile = "TEST_ECHO_FILE"

// serveEcho answers every GET with the file's bytes.
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
	return e.Start("")
}

// bareEcho starts the handler in a process of its own.
func bareEcho(b *testing.B, file string) *server {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), echoFile+"="+file)
	out, err := cmd.StdoutPipe()
	testkit.Must(b, err)
	testkit.Must(b, cmd.Start())
	b.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	testkit.Must(b, err)
	return &server{cmd: cmd, url: "http://" + strings.TrimSpace(line)}
}
