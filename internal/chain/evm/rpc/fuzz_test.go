package rpc

import (
	"bytes"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

const (
	someHash  = "0x1f2e3d4c5b6a79881f2e3d4c5b6a79881f2e3d4c5b6a79881f2e3d4c5b6a7988"
	someTopic = "0x000000000000000000000000aabbccddeeff00112233445566778899aabbccdd"
	someLog   = `{"address":"0x3c499c542cef5e3811e1192ce70d8cc03d5c3359","topics":["` + TransferTopic + `","` +
		someTopic + `","` + someTopic + `"],` +
		`"data":"0x00000000000000000000000000000000000000000000000000000000000f4240","blockNumber":"0x10","blockHash":"` +
		someHash +
		`","transactionHash":"` + someHash + `","transactionIndex":"0x0","logIndex":"0x2a","removed":false}`
)

var jsonSeeds = []string{
	`null`, `[]`, `{}`, `[` + someLog + `]`, `[` + someLog + `,` + someLog + `]`,
	` [ { "address" : "0x" , "topics" : [ ] } ] `,
	`[{"topics":["a","b","c","d","e"]}]`, `[{"address":"\u0030x"}]`, `[{"add\u0072ess":"0x1","removed":true}]`,
	`[{"data":"\ud83d"}]`,
	`{"jsonrpc":"2.0","id":0,"result":"0x1"}`,
	`[{"id":1,"result":null},{"id":0,"error":{"code":-32005,"message":"limit exceeded"}}]`,
	`{"id":null,"error":{"code":-32600,"message":"batch"}}`, `{"id":0,"error":"text"}`,
	`[1,-0.5e+3,true,false,"\"\\\n\u00e9"]`,
	`{"number":"0x10","hash":"` + someHash + `","timestamp":"0x650000","transactions":[]}`,
	`{"transactionHash":"` + someHash + `","blockNumber":"0x10","blockHash":"` + someHash +
		`","status":"0x1","logs":[` + someLog + `]}`,
	`{"hash":"` + someHash + `","from":"0x3c499c542cef5e3811e1192ce70d8cc03d5c3359","to":null,"value":"0x0"}`,
	strings.Repeat("[", 70) + strings.Repeat("]", 70), `[{"a":[{"b":[[[{}]]]}]}]`, "\x00", `"`, `"\`, `"\u12`, `[1 2]`,
	`{"a"}`, `{"a":1,}`, `[1,]`, `01`, `-`, `1.`,
}

func seed(f *testing.F) {
	f.Helper()
	for _, s := range jsonSeeds {
		f.Add([]byte(s))
	}
}

// tooDeep reports whether a value is nested deeper than the scanner follows,
// the one thing it refuses and encoding/json accepts.
func tooDeep(b []byte) bool {
	depth, deepest := 0, 0
	d := json.NewDecoder(bytes.NewReader(b))
	for {
		token, err := d.Token()
		if err != nil {
			return deepest > maxDepth
		}
		switch token {
		case json.Delim('['), json.Delim('{'):
			depth++
			deepest = max(deepest, depth)
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
	}
}

// The scanner accepts exactly what encoding/json accepts.
func FuzzScanner_Skip(f *testing.F) {
	seed(f)
	f.Fuzz(checkSkip)
}

func checkSkip(t *testing.T, b []byte) {
	s := NewScanner(b)
	raw, ok := s.skip()
	ok = ok && s.end()
	if want := json.Valid(b) && !tooDeep(b); ok != want {
		t.Fatalf("%q: accepted %v, want %v", b, ok, want)
	}
	if ok && !bytes.Equal(raw, bytes.Trim(b, " \t\r\n")) {
		t.Fatalf("%q was read as %q", b, raw)
	}
}

// Mutations of real answers, far more of them than fuzzing visits in the time
// of a test.
func TestScanner_Mutations(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 60_000 {
		b := mutate(r, []byte(jsonSeeds[r.IntN(len(jsonSeeds))]))
		checkSkip(t, b)
		checkLogs(t, b)
		checkReplies(t, b, 1+r.IntN(3))
	}
}

// mutate changes a few bytes, or takes some out, doubles some or cuts the end.
func mutate(r *rand.Rand, b []byte) []byte {
	const alphabet = "{}[]\",:\\u0x \n\x00\x1f\x7f\xff0123456789abcdefnulltrue-+.eE"
	for range 1 + r.IntN(3) {
		if len(b) == 0 {
			return b
		}
		i := r.IntN(len(b))
		j := min(len(b), i+1+r.IntN(12))
		switch r.IntN(5) {
		case 0, 1:
			b[i] = alphabet[r.IntN(len(alphabet))]
		case 2:
			b = slices.Delete(b, i, j)
		case 3:
			b = slices.Insert(b, i, slices.Clone(b[i:j])...)
		case 4:
			b = b[:i]
		}
	}
	return b
}

func FuzzScanner_Text(f *testing.F) {
	for _, s := range []string{
		`""`, `"0x"`, `"abcdefghijklmnop"`, `"abcdefg\"hij"`, "\"\x1f\"", "\"\xff\xfe\"",
		`"\u0000"`, `"\ud83d\ude00"`, `"\x"`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s := NewScanner(b)
		got, ok := s.text()
		ok = ok && s.end()
		var want *string
		wantOK := json.Unmarshal(b, &want) == nil && want != nil
		if ok != wantOK {
			t.Fatalf("%q: accepted %v, want %v", b, ok, wantOK)
		}
		if ok && isUTF8(b) && string(got) != *want {
			t.Fatalf("%q was read as %q, want %q", b, got, *want)
		}
	})
}

// isUTF8: encoding/json replaces what is no UTF-8, the scanner keeps it.
func isUTF8(b []byte) bool { return strings.ToValidUTF8(string(b), "") == string(b) }

// slowLog is a log as encoding/json reads it.
type slowLog struct {
	Address, Data, BlockNumber, BlockHash, TransactionHash, LogIndex *string
	Topics                                                           *[]*string
	Removed                                                          *bool
}

// slowLogs reads logs without the scanner: field by field, names to the
// letter, the last of several with one name.
func slowLogs(b []byte) (logs []slowLog, ok bool) {
	var raw []map[string]json.RawMessage
	if json.Unmarshal(b, &raw) != nil || raw == nil {
		return nil, false
	}
	for _, fields := range raw {
		if fields == nil {
			return nil, false
		}
		var l slowLog
		for name, into := range map[string]any{
			"address": &l.Address, "data": &l.Data, "blockNumber": &l.BlockNumber, "blockHash": &l.BlockHash,
			"transactionHash": &l.TransactionHash, "logIndex": &l.LogIndex, "topics": &l.Topics, "removed": &l.Removed,
		} {
			value, there := fields[name]
			if !there {
				continue
			}
			if json.Unmarshal(value, into) != nil || IsNull(value) && name != "removed" {
				return nil, false
			}
		}
		if l.Topics != nil && (len(*l.Topics) > maxTopics || slices.Contains(*l.Topics, nil)) {
			return nil, false
		}
		logs = append(logs, l)
	}
	return logs, true
}

// repeats reports whether an object has a name twice: then the scanner may
// refuse an earlier value that encoding/json never looks at.
func repeats(b []byte) bool {
	var any any
	d := json.NewDecoder(bytes.NewReader(b))
	if d.Decode(&any) != nil {
		return false
	}
	plain, err := json.Marshal(any)
	if err != nil {
		return true
	}
	var compact bytes.Buffer
	if json.Compact(&compact, b) != nil {
		return true
	}
	return strings.Count(compact.String(), `":`) != strings.Count(string(plain), `":`)
}

func FuzzScanner_Logs(f *testing.F) {
	seed(f)
	f.Fuzz(checkLogs)
}

func checkLogs(t *testing.T, b []byte) {
	if tooDeep(b) || repeats(b) || !isUTF8(b) {
		return
	}
	var got []slowLog
	err := ReadLogs(b, func(l *RawLog) error {
		got = append(got, l.copied())
		return nil
	})
	want, ok := slowLogs(b)
	if accepted := err == nil; accepted != ok {
		t.Fatalf("%q: accepted %v, want %v", b, accepted, ok)
	}
	if !ok {
		return
	}
	if len(got) != len(want) {
		t.Fatalf("%q: %d logs, want %d", b, len(got), len(want))
	}
	for i := range want {
		if g, w := mustJSON(t, got[i]), mustJSON(t, want[i].filled()); g != w {
			t.Fatalf("%q: log %d is %s, want %s", b, i, g, w)
		}
	}
}

// filled makes what is missing the same as what is empty.
func (l slowLog) filled() slowLog {
	for _, field := range []**string{
		&l.Address, &l.Data, &l.BlockNumber, &l.BlockHash, &l.TransactionHash, &l.LogIndex,
	} {
		if *field == nil {
			*field = new(string)
		}
	}
	if l.Topics == nil {
		l.Topics = &[]*string{}
	}
	if l.Removed == nil {
		l.Removed = new(bool)
	}
	return l
}

func (l *RawLog) copied() slowLog {
	text := func(b []byte) *string { s := string(b); return &s }
	topics := []*string{}
	for _, topic := range l.Topics[:l.TopicCount] {
		topics = append(topics, text(topic))
	}
	return slowLog{
		Address: text(l.Address), Data: text(l.Data), BlockNumber: text(l.BlockNumber), BlockHash: text(l.hash),
		TransactionHash: text(l.tx), LogIndex: text(l.index), Topics: &topics, Removed: &l.Removed,
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A decoded transfer written down again is the log it was decoded from.
func FuzzLogText_Decode(f *testing.F) {
	f.Add("0x3c499c542cef5e3811e1192ce70d8cc03d5c3359", someTopic, someTopic, someHash, "0x10", someHash, someHash, "0x2a")
	f.Add("0x", "", "0x0", "0xzz", "0x", "", "", "0x10000000000000000")
	f.Fuzz(func(t *testing.T, contract, from, to, data, number, block, tx, index string) {
		l := RawLog{
			Address: []byte(contract), Data: []byte(data), TopicCount: 3,
			Topics:      [maxTopics][]byte{[]byte(TransferTopic), []byte(from), []byte(to)},
			BlockNumber: []byte(number), hash: []byte(block), tx: []byte(tx), index: []byte(index),
		}
		e, ok := l.Decode()
		if !ok {
			return
		}
		var recipient Address
		if !l.Recipient(&recipient) || recipient != e.To {
			t.Fatalf("recipient %s, then %s", recipient, e.To)
		}
		units := make([]byte, 32)
		e.Units.Big().FillBytes(units)
		for got, want := range map[string]string{
			e.Contract.String():                  contract,
			AddressPadding + e.From.String()[2:]: from, AddressPadding + e.To.String()[2:]: to,
			Hex(units): data, e.BlockHash.String(): block, e.Tx.String(): tx,
		} {
			if got != strings.ToLower(want) && "0x"+strings.ToLower(strings.TrimPrefix(want, "0x")) != got {
				t.Fatalf("%q was read as %q", want, got)
			}
		}
		if n, ok := new(big.Int).SetString(number[2:], 16); !ok || n.Uint64() != e.Block || !n.IsUint64() {
			t.Fatalf("block %q was read as %d", number, e.Block)
		}
	})
}

func FuzzParseReplies(f *testing.F) {
	for _, s := range jsonSeeds {
		f.Add([]byte(s), 1)
		f.Add([]byte(s), 2)
	}
	f.Fuzz(checkReplies)
}

// Any answer gives a reply for every call, or an error.
func checkReplies(t *testing.T, b []byte, n int) {
	if n < 1 || n > 5 {
		return
	}
	replies, refusal, err := parseReplies(b, n)
	if err != nil || refusal != nil {
		if replies != nil {
			t.Fatalf("%q: replies beside an error", b)
		}
		return
	}
	if len(replies) != n || !json.Valid(b) {
		t.Fatalf("%q: %d replies to %d calls", b, len(replies), n)
	}
	for _, r := range replies {
		if (r.Err == nil) == (r.Result == nil) || r.Result != nil && !json.Valid(r.Result) {
			t.Fatalf("%q: reply %+v", b, r)
		}
	}
}

// Blocks, receipts and transactions are read as encoding/json reads them, or
// refused; nothing panics.
func FuzzParseObjects(f *testing.F) {
	seed(f)
	want, _ := ParseHash(someHash)
	f.Fuzz(func(t *testing.T, b []byte) {
		if !json.Valid(b) {
			return // parsers are given values only
		}
		if h, ok, err := ParseHeader(b); ok && err == nil {
			if again, ok := ParseHash(h.Head().Hash); !ok || again != h.Hash || h.Head().Time.Year() > 9999 {
				t.Fatalf("%q was read as %+v", b, h)
			}
		}
		if r, ok, err := ParseReceipt(b, want); ok && err == nil && (r.Tx != want || r.Failed && anyTransfer(r)) {
			t.Fatalf("%q was read as %+v", b, r)
		}
		if tx, ok, err := ParseTransaction(b, want); ok && err == nil &&
			(tx.hash != want || tx.Value == nil || tx.Value.Sign() < 0) {
			t.Fatalf("%q was read as %+v", b, tx)
		}
		if v, ok := ParseWord(b); ok && (v.Sign() < 0 || v.BitLen() > 256) {
			t.Fatalf("%q was read as %s", b, v)
		}
		if _, _, err := CodeHash(Reply{Result: b}); err == nil && b[0] != '"' {
			t.Fatalf("%q was read as code", b)
		}
	})
}

func anyTransfer(r Receipt) bool {
	return slices.ContainsFunc(r.Logs, func(l ReceiptLog) bool { return l.IsTransfer })
}

func FuzzQuantity(f *testing.F) {
	for _, s := range []string{
		"0x0", "0x", "0x7fffffffffffffff", "0x8000000000000000", "0xffffffffffffffff", "0x10000000000000000",
		"0x00", "1", "0X1", "0x-1",
		"0xG",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, ok := ParseQuantity([]byte(text))
		want, good := new(big.Int).SetString(strings.TrimPrefix(text, "0x"), 16)
		good = good && want.IsInt64() && strings.HasPrefix(text, "0x") && len(text) <= 18 && !strings.ContainsAny(text[2:], "+-_")
		if ok != good || ok && want.Uint64() != v {
			t.Fatalf("%q: %d, %v", text, v, ok)
		}
		if ok {
			if again, ok := ParseQuantity([]byte(Quantity(v))); !ok || again != v {
				t.Fatalf("%d does not survive writing", v)
			}
		}
	})
}
