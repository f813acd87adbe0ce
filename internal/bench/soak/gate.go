package main

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// gate is an endpoint of a node. It passes requests on, unless it is shut.
type gate struct {
	node   string // address of the node
	mend   func(request, answer []byte) []byte
	server *http.Server
	url    string
	shut   atomic.Bool
	client http.Client
}

// maxRequest bounds a request and its answer.
const maxRequest = 64 << 20

// newGate serves an endpoint of the node on loopback. mend, if any, corrects its answers.
func newGate(node string, mend func(request, answer []byte) []byte) (*gate, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it listens until the end
	if err != nil {
		return nil, err
	}
	g := &gate{
		node: node, mend: mend, url: "http://" + listener.Addr().String(), client: http.Client{Timeout: time.Minute},
	}
	g.server = &http.Server{Handler: g, ReadHeaderTimeout: time.Minute}
	go func() { _ = g.server.Serve(listener) }()
	return g, nil
}

// ServeHTTP passes a request to the node.
func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if g.shut.Load() {
		http.Error(w, "out of order", http.StatusBadGateway)
		return
	}
	request, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	status, answer, err := g.ask(r, request)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(answer)
}

func (g *gate) ask(r *http.Request, request []byte) (status int, answer []byte, err error) {
	out, err := http.NewRequestWithContext(r.Context(), http.MethodPost, g.node, bytes.NewReader(request))
	if err != nil {
		return 0, nil, err
	}
	out.Header.Set("Content-Type", "application/json")
	res, err := g.client.Do(out)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(res.Body, maxRequest))
	if err == nil && g.mend != nil {
		answer = g.mend(request, answer)
	}
	return res.StatusCode, answer, err
}
