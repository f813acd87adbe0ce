package evm

import (
	"math/big"
	"strings"

	"github.com/florinpay/florin/internal/money"
)

// transferTopic is the first topic of ERC-20's Transfer(address indexed from,
// address indexed to, uint256 value): the Keccak-256 of its signature.
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

// addressPadding is what precedes an address in a topic.
const addressPadding = "0x000000000000000000000000"

// maxTopics is how many topics the virtual machine can give a log.
const maxTopics = 4

type (
	address [20]byte
	hash    [32]byte
)

func (a address) String() string { return hexText(a[:]) }
func (h hash) String() string    { return hexText(h[:]) }

func parseHash(text string) (h hash, ok bool) {
	ok = parseBytes(h[:], []byte(text))
	return h, ok
}

// logText is a log as the node wrote it: every field is still text, part of
// the answer's bytes, so that a log that is none of ours costs no decoding.
type logText struct {
	whole             []byte // the object itself
	address, data     []byte
	topics            [maxTopics][]byte
	topicCount        int
	blockNumber, hash []byte
	tx, index         []byte
	removed           bool
}

// log reads one log object. Fields Florin has no use for may hold anything.
func readLog(s *scanner, l *logText) bool {
	*l = logText{}
	return s.object(func(key []byte) bool {
		var ok bool
		switch string(key) {
		case "address":
			l.address, ok = s.text()
		case "data":
			l.data, ok = s.text()
		case "topics":
			ok = readTopics(s, l)
		case "blockNumber":
			l.blockNumber, ok = s.text()
		case "blockHash":
			l.hash, ok = s.text()
		case "transactionHash":
			l.tx, ok = s.text()
		case "logIndex":
			l.index, ok = s.text()
		case "removed":
			var raw []byte
			raw, ok = s.skip()
			l.removed = string(raw) == "true"
			ok = ok && (l.removed || string(raw) == "false" || isNull(raw))
		default:
			_, ok = s.skip()
		}
		return ok
	})
}

func readTopics(s *scanner, l *logText) bool {
	l.topicCount = 0
	return s.array(func() bool {
		if l.topicCount == maxTopics {
			return false
		}
		text, ok := s.text()
		l.topics[l.topicCount] = text
		l.topicCount++
		return ok
	})
}

// logs reads an array of logs and calls each with every one; each returns an
// error to stop. The logText is valid during the call only.
func readLogs(raw []byte, each func(*logText) error) error {
	s := newScanner(raw)
	var l logText
	var failed error
	ok := s.array(func() bool {
		start := s.pos()
		if !readLog(s, &l) {
			return false
		}
		l.whole = s.since(start)
		failed = each(&l)
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	if !ok || !s.end() {
		return malformed("logs that are not what eth_getLogs returns")
	}
	return nil
}

// entry is a decoded ERC-20 Transfer log.
type entry struct {
	contract  address
	from, to  address
	units     money.Units
	block     uint64
	blockHash hash
	tx        hash
	index     uint64 // within the block
}

// isTransfer reports whether the log has the shape of an ERC-20 Transfer.
// ERC-721 uses the same first topic with a fourth one and is no money.
func (l *logText) isTransfer() bool {
	return l.topicCount == 3 && sameHex(l.topics[0], transferTopic)
}

// sameHex compares hex text with lower-case hex text.
func sameHex(text []byte, lower string) bool {
	return string(text) == lower || len(text) == len(lower) && strings.EqualFold(string(text), lower)
}

// recipient decodes only whom a Transfer log pays.
func (l *logText) recipient(to *address) bool { return topicAddress(l.topics[2], to) }

// topicAddress decodes an address out of a topic, whose upper 12 bytes are 0.
func topicAddress(topic []byte, a *address) bool {
	const digits = len(addressPadding)
	return len(topic) == digits+2*len(a) && string(topic[:digits]) == addressPadding && parseDigits(a[:], topic[digits:])
}

// decode reads a Transfer log whole.
func (l *logText) decode() (e entry, ok bool) {
	var word hash
	if !l.isTransfer() || !parseBytes(word[:], l.data) {
		return entry{}, false
	}
	e.units = money.NewUnits(new(big.Int).SetBytes(word[:]))
	ok = parseBytes(e.contract[:], l.address) && topicAddress(l.topics[1], &e.from) && topicAddress(l.topics[2], &e.to) &&
		parseBytes(e.blockHash[:], l.hash) && parseBytes(e.tx[:], l.tx)
	var okNumber, okIndex bool
	e.block, okNumber = parseQuantity(l.blockNumber)
	e.index, okIndex = parseQuantity(l.index)
	return e, ok && okNumber && okIndex
}

// same reports whether two logs tell the same, wherever they were included.
func (e entry) same(o entry) bool {
	return e.contract == o.contract && e.from == o.from && e.to == o.to && e.units.Cmp(o.units) == 0 && e.tx == o.tx
}
