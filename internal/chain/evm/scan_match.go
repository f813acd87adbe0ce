package evm

import (
	"math"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// collect checks one log of the answer and queues its recipient for the
// look-up. A log that was not requested makes the whole answer invalid, since more of it may be wrong, unless it names
// whom it concerns. One that is no ERC-20 transfer is looked up in its receipt.
func (s *stretch) collect(l *rpc.RawLog, first, last uint64) error {
	if l.Removed {
		return nil // of a fork the node has left
	}
	if !l.HasTransferTopic() {
		return rpc.Malformed("a log that is no transfer")
	}
	number, ok := rpc.ParseQuantity(l.BlockNumber)
	if !ok || number < first || number > last {
		return s.spoilt(s.recipient(l), rpc.Malformed("a log outside the blocks asked for"))
	}
	if !s.adapter.isAsset(l.Address) {
		return s.spoilt(s.recipient(l), rpc.Malformed("a log of another contract"))
	}
	c := candidate{log: l.Text}
	if !l.IsTransfer() || !l.Recipient(&c.to) {
		return s.keepOdd(l)
	}
	if s.waiting = append(s.waiting, c); len(s.waiting) == maxWaiting {
		return s.matchRecipients()
	}
	return nil
}

// candidate is a transfer whose recipient is not yet looked up.
type candidate struct {
	to  rpc.Address
	log []byte
}

// maxWaiting is how many recipients are looked up in one go. In a set of a
// million addresses every look-up waits for memory; in one loop the processor
// overlaps those waits.
const maxWaiting = 64

// matchRecipients looks the recipients up and keeps the transfers to watched
// addresses.
func (s *stretch) matchRecipients() error {
	waiting := s.waiting
	s.waiting = s.waiting[:0]
	for i := range waiting {
		if _, watched := s.watch.Lookup(waiting[i].to[:]); !watched {
			continue
		}
		var l rpc.RawLog
		if !rpc.ReadLog(rpc.NewScanner(waiting[i].log), &l) {
			return rpc.Malformed("a log") // it was read before
		}
		if err := s.keep(&l); err != nil {
			return err
		}
	}
	return nil
}

func (s *stretch) keep(l *rpc.RawLog) error {
	e, ok := l.Decode()
	if !ok {
		return s.keepOdd(l)
	}
	if e.Units.IsZero() {
		return nil // spam: zero transfers plant addresses in histories
	}
	if s.isSmall(e) {
		s.small = append(s.small, e)
	} else {
		s.found = append(s.found, e)
	}
	return nil
}

// isSmall reports whether the log alone is to be shown: see chain.Flood.
func (s *stretch) isSmall(l rpc.TransferLog) bool {
	to, _ := s.watch.Lookup(l.To[:])
	return s.watch.Floods[to].Has(l.Block, chain.TxHash(l.Tx.String()), s.adapter.assets[l.Contract].Worth(l.Units))
}

// unplaced returns the small transfers by their logs. Nothing of one depends on what else the endpoint shows.
func (s *stretch) unplaced() (list []chain.Transfer) {
	for _, l := range s.small {
		to, _ := s.watch.Lookup(l.To[:])
		list = append(list, chain.Transfer{
			Key:   s.adapter.key(l.Tx, -1-int(min(l.Index, math.MaxInt32))), //nolint:gosec // bounded
			Asset: s.adapter.assets[l.Contract], From: s.adapter.text(l.From), To: to, Units: l.Units,
			Block: chain.Head{Number: l.Block, Hash: l.BlockHash.String()}, Source: s.e.Name(),
		})
	}
	return list
}

// oddLog is the place of a log under the topic of transfers that is none, and the watched address that it names, if
// any.
type oddLog struct {
	rpc.LogPlace
	to chain.Address
}

// keepOdd keeps the place of a log under the topic of transfers that is none.
// Contracts may log such things, and one of them must not hold up a network; but a
// node may also have spoiled a transfer.
func (s *stretch) keepOdd(l *rpc.RawLog) error {
	place, ok := l.Place()
	if !ok {
		return s.spoilt(s.recipient(l), rpc.Malformed("a transfer log that cannot be read"))
	}
	s.odd = append(s.odd, oddLog{place, s.recipient(l)})
	return nil
}

// recipient returns the watched address that a log names as the recipient; empty: it names none.
func (s *stretch) recipient(l *rpc.RawLog) chain.Address {
	var to rpc.Address
	if !l.IsTransfer() || !l.Recipient(&to) {
		return ""
	}
	address, _ := s.watch.Lookup(to[:])
	return address
}

// spoilt leaves the address that a log names, which cannot be used, unread: it concerns nobody else. Where it names
// none, it is not known whom it concerns, and the whole answer is at fault.
func (s *stretch) spoilt(to chain.Address, why error) error {
	if to == "" {
		return why
	}
	s.unread = s.unread.With(&chain.UnreadError{
		Reason: s.e.Name() + ": " + why.Error(), Addresses: []chain.Address{to},
	})
	return nil
}

// isAsset reports whether the text is the address of one of the assets.
func (a *Adapter) isAsset(text []byte) bool {
	var contract rpc.Address
	if !rpc.ParseBytes(contract[:], text) {
		return false
	}
	_, ok := a.assets[contract]
	return ok
}
