package rpc

import (
	"bytes"
	"math/big"
	"strings"

	"github.com/florinpay/florin/internal/money"
)

// TransferTopic is the first topic of ERC-20's Transfer(address indexed from,
// address indexed to, uint256 value): the Keccak-256 of its signature.
const TransferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

// AddressPadding precedes an address in a topic.
const AddressPadding = "0x000000000000000000000000"

// maxTopics is the most topics a log can have.
const maxTopics = 4

// Address is an account in raw bytes.
type Address [20]byte

// Hash is a hash in raw bytes.
type Hash [32]byte

func (a Address) String() string { return Hex(a[:]) }
func (h Hash) String() string    { return Hex(h[:]) }

// ParseHash reads 0x and 64 digits.
func ParseHash(text string) (h Hash, ok bool) {
	ok = ParseBytes(h[:], []byte(text))
	return h, ok
}

// RawLog is a log as the node wrote it. Every field refers to the bytes of the
// answer, so that a log that is not needed costs no decoding.
type RawLog struct {
	Text              []byte // the object itself
	Address, Data     []byte
	Topics            [maxTopics][]byte
	TopicCount        int
	BlockNumber, hash []byte
	tx, index         []byte
	Removed           bool
}

// ReadLog reads one log object. Fields that Florin does not use may hold
// anything.
func ReadLog(s *Scanner, l *RawLog) bool {
	*l = RawLog{}
	return s.object(func(key []byte) bool {
		var ok bool
		switch string(key) {
		case "address":
			l.Address, ok = s.text()
		case "data":
			l.Data, ok = s.text()
		case "topics":
			ok = readTopics(s, l)
		case "blockNumber":
			l.BlockNumber, ok = s.place()
		case "blockHash":
			l.hash, ok = s.place()
		case "transactionHash":
			l.tx, ok = s.place()
		case "logIndex":
			l.index, ok = s.place()
		case "removed":
			var raw []byte
			raw, ok = s.skip()
			l.Removed = string(raw) == "true"
			ok = ok && (l.Removed || string(raw) == "false" || IsNull(raw))
		default:
			_, ok = s.skip()
		}
		return ok
	})
}

func readTopics(s *Scanner, l *RawLog) bool {
	l.TopicCount = 0
	return s.array(func() bool {
		if l.TopicCount == maxTopics {
			return false
		}
		text, ok := s.text()
		l.Topics[l.TopicCount] = text
		l.TopicCount++
		return ok
	})
}

// ReadLogs reads an array of logs and calls each with every one; each returns
// an error to stop. The RawLog is valid during the call only.
func ReadLogs(raw []byte, each func(*RawLog) error) error {
	s := NewScanner(raw)
	var l RawLog
	var failed error
	ok := s.array(func() bool {
		start := s.pos()
		if !ReadLog(s, &l) {
			return false
		}
		l.Text = s.since(start)
		failed = each(&l)
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	if !ok || !s.end() {
		return Malformed("logs that are not what eth_getLogs returns")
	}
	return nil
}

// TransferLog is a decoded ERC-20 Transfer log.
type TransferLog struct {
	Contract  Address
	From, To  Address
	Units     money.Units
	Block     uint64
	BlockHash Hash
	Tx        Hash
	Index     uint64 // within the block
}

// IsTransfer reports whether the log has the shape of an ERC-20 Transfer.
// ERC-721 uses the same first topic, but has a fourth one.
func (l *RawLog) IsTransfer() bool {
	return l.TopicCount == 3 && SameHex(l.Topics[0], TransferTopic)
}

// HasTransferTopic reports whether the log begins with the topic of a transfer;
// contracts may log other things under it than ERC-20 does.
func (l *RawLog) HasTransferTopic() bool {
	return l.TopicCount > 0 && SameHex(l.Topics[0], TransferTopic)
}

// LogPlace says where a log is in the chain.
type LogPlace struct {
	Tx        Hash
	Block     uint64
	BlockHash Hash
	Index     uint64 // within the block
}

// Place returns where the log is; ok is false if the node does not say so.
func (l *RawLog) Place() (p LogPlace, ok bool) {
	var okNumber, okIndex bool
	p.Block, okNumber = ParseQuantity(l.BlockNumber)
	p.Index, okIndex = ParseQuantity(l.index)
	return p, okNumber && okIndex && ParseBytes(p.BlockHash[:], l.hash) && ParseBytes(p.Tx[:], l.tx)
}

// SameHex compares hex text with lower-case hex text.
func SameHex(text []byte, lower string) bool {
	return string(text) == lower || len(text) == len(lower) && strings.EqualFold(string(text), lower)
}

// MovesNothing reports whether the amount of a Transfer log is 0: anyone can log such transfers to any address.
func (l *RawLog) MovesNothing() bool { return len(l.Data) > 2 && len(bytes.Trim(l.Data[2:], "0")) == 0 }

// Recipient decodes only the recipient of a Transfer log.
func (l *RawLog) Recipient(to *Address) bool { return TopicAddress(l.Topics[2], to) }

// TopicAddress decodes an address from a topic, whose upper 12 bytes are 0.
func TopicAddress(topic []byte, a *Address) bool {
	const digits = len(AddressPadding)
	return len(topic) == digits+2*len(a) && string(topic[:digits]) == AddressPadding &&
		parseDigits(a[:], topic[digits:])
}

// Decode reads a Transfer log; ok is false if it is malformed or another event.
func (l *RawLog) Decode() (e TransferLog, ok bool) {
	var word Hash
	if !l.IsTransfer() || !ParseBytes(word[:], l.Data) {
		return TransferLog{}, false
	}
	e.Units = money.NewUnits(new(big.Int).SetBytes(word[:]))
	ok = ParseBytes(e.Contract[:], l.Address) && TopicAddress(l.Topics[1], &e.From) &&
		TopicAddress(l.Topics[2], &e.To) &&
		ParseBytes(e.BlockHash[:], l.hash) && ParseBytes(e.Tx[:], l.tx)
	var okNumber, okIndex bool
	e.Block, okNumber = ParseQuantity(l.BlockNumber)
	e.Index, okIndex = ParseQuantity(l.index)
	return e, ok && okNumber && okIndex
}

// Same reports whether two logs are of the same transfer, in whatever block.
func (e TransferLog) same(o TransferLog) bool {
	return e.Contract == o.Contract && e.From == o.From && e.To == o.To && e.Units.Cmp(o.Units) == 0 && e.Tx == o.Tx
}
