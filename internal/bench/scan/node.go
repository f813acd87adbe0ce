package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// The served chain: blocks with as many transfers of two tokens as a busy second of BNB Smart Chain, one in a thousand
// of them to us.
const (
	network   = chain.BEP20
	blocks    = 2_000
	perBlock  = 150
	transfers = blocks * perBlock
	everyOurs = 1_000
	ours      = transfers / everyOurs
)

func profile() chain.Profile {
	for _, p := range chain.Profiles() {
		if p.Network == network {
			return p
		}
	}
	panic("no profile") // compiled in
}

// node is the prepared chain.
type node struct {
	logs [][]byte // of each block, as JSON without brackets
}

func prepare() *node {
	n := &node{logs: make([][]byte, blocks+1)}
	assets := profile().Assets
	for i := range transfers {
		b := 1 + i/perBlock
		if i%perBlock > 0 {
			n.logs[b] = append(n.logs[b], ',')
		}
		n.logs[b] = append(n.logs[b], logText(i, assets[i%len(assets)])...)
	}
	return n
}

// logText returns the i-th transfer of the chain in geth's format.
func logText(i int, asset chain.Asset) []byte {
	to := addressOf(uint64(1<<40 + i)) // a stranger
	if i%everyOurs == 0 {
		to = addressOf(uint64(i / everyOurs))
	}
	number := 1 + i/perBlock
	return fmt.Appendf(
		nil,
		`{"address":"%s","topics":["0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",`+
			`"0x000000000000000000000000%x","0x000000000000000000000000%x"],"data":"0x%064x","blockNumber":"0x%x","transactionHash":"%s",`+
			`"transactionIndex":"0x%x","blockHash":"%s","blockTimestamp":"0x%x","logIndex":"0x%x","removed":false}`,
		asset.Contract,
		addressOf(uint64(1<<41+i)),
		to,
		1_000_000+i,
		number,
		hash("tx", i),
		i%perBlock,
		hash("block", number),
		timeOf(number),
		i%perBlock,
	)
}

func hash(kind string, i int) string {
	var b [32]byte
	copy(b[:], kind)
	copy(b[24:], strconv.Itoa(i))
	return "0x" + hex.EncodeToString(b[:])
}

func timeOf(number int) int { return 1_700_000_000 + number }

// serve answers until input ends. It prints its address first.
func serve(out io.Writer, input io.Reader) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: prepare(), ReadHeaderTimeout: 5 * time.Second}
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

type incoming struct {
	ID     json.RawMessage
	Method string
	Params []json.RawMessage
}

func (n *node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var calls []incoming
	if err == nil && len(body) > 0 && body[0] == '{' {
		calls = make([]incoming, 1)
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

func (n *node) answer(b *bytes.Buffer, c incoming) {
	switch c.Method {
	case "eth_chainId":
		fmt.Fprintf(b, `"0x%x"`, profile().ChainID)
	case "eth_getBlockByNumber":
		n.block(b, text(c.Params[0]))
	case "eth_getTransactionReceipt":
		n.receipt(b, text(c.Params[0]))
	case "eth_getLogs":
		n.logsBetween(b, c.Params[0])
	default:
		b.WriteString("null")
	}
}

func text(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s) // an invalid one matches no block
	return s
}

func (n *node) block(b *bytes.Buffer, tag string) {
	number := blocks
	if v, err := strconv.ParseInt(tag, 0, 64); err == nil {
		number = int(v)
	}
	fmt.Fprintf(b, `{"number":"0x%x","hash":"%s","timestamp":"0x%x"}`, number, hash("block", number), timeOf(number))
}

func (n *node) receipt(b *bytes.Buffer, tx string) {
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
		tx, number, hash("block", number), logText(i, profile().Assets[i%len(profile().Assets)]))
}

func (n *node) logsBetween(b *bytes.Buffer, raw json.RawMessage) {
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
