package devchain

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/rpc"
)

// server answers JSON-RPC calls over HTTP, WebSocket and inside the process.
type server struct {
	rpc  *rpc.Server
	http *http.Server
	url  string
}

// Limits of a batch and of a request's headers, as in geth's node.
const (
	maxBatch       = 1000     // calls
	maxBatchAnswer = 25 << 20 // bytes
	headerTimeout  = 30 * time.Second
)

// serve starts the server and connects the chain's own client.
func (c *Chain) serve() error {
	calls := rpc.NewServer()
	calls.SetBatchLimits(maxBatch, maxBatchAnswer)
	for name, service := range map[string]any{"eth": &ethAPI{c}, "net": &netAPI{c}} {
		if err := calls.RegisterName(name, service); err != nil {
			return fmt.Errorf("methods of %s: %w", name, err)
		}
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("development chain: %w", err)
	}
	socket := calls.WebsocketHandler(nil) // from pages of this machine only
	handler := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "" {
			socket.ServeHTTP(w, r)
		} else {
			calls.ServeHTTP(w, r)
		}
	}
	c.server = &server{
		rpc:  calls,
		http: &http.Server{Handler: http.HandlerFunc(handler), ReadHeaderTimeout: headerTimeout},
		url:  "http://" + listener.Addr().String(),
	}
	go func() {
		if err := c.server.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			slog.Error("development chain no longer serves", "chain", c.config.ChainID, "error", err)
		}
	}()
	c.client = ethclient.NewClient(rpc.DialInProc(calls))
	return nil
}

func (s *server) close() error {
	s.rpc.Stop()
	return s.http.Close()
}

// netAPI says what wallets ask before anything else.
type netAPI struct{ chain *Chain }

// Version is the network's number: the chain id in decimal.
func (a *netAPI) Version() string { return strconv.FormatUint(a.chain.config.ChainID, 10) }
