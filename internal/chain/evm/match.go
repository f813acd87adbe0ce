package evm

// take judges one log of the answer and has its recipient looked up. A log
// that was not asked for, or that is no transfer, makes the whole answer
// worthless: what else is wrong with it cannot be known.
func (s *search) take(l *logText, first, last uint64) error {
	if l.removed {
		return nil // of a fork the node has left
	}
	if !l.isTransfer() {
		return malformed("a log that is no transfer")
	}
	number, ok := parseQuantity(l.blockNumber)
	if !ok || number < first || number > last {
		return malformed("a log outside the blocks asked for")
	}
	if !s.adapter.isAsset(l.address) {
		return malformed("a log of another contract")
	}
	c := candidate{log: l.whole}
	if !l.recipient(&c.to) {
		return malformed("a transfer to no address")
	}
	if s.waiting = append(s.waiting, c); len(s.waiting) == maxWaiting {
		return s.match()
	}
	return nil
}

// candidate is a transfer whose recipient is yet to be looked up.
type candidate struct {
	to  address
	log []byte
}

// maxWaiting is how many recipients are looked up at a stretch. Among a
// million addresses every look-up waits for memory; one after the other they
// wait together, between the parsing of two logs each waits alone.
const maxWaiting = 64

// match looks the recipients up and keeps the transfers to watched ones.
func (s *search) match() error {
	waiting := s.waiting
	s.waiting = s.waiting[:0]
	for i := range waiting {
		if _, watched := s.watch.Lookup(waiting[i].to[:]); !watched {
			continue
		}
		var l logText
		if !readLog(newScanner(waiting[i].log), &l) {
			return malformed("a log") // it was read before
		}
		if err := s.keep(&l); err != nil {
			return err
		}
	}
	return nil
}

func (s *search) keep(l *logText) error {
	e, ok := l.decode()
	if !ok {
		return malformed("a transfer log that cannot be read")
	}
	if e.units.IsZero() {
		return nil // anybody may move nothing, and does, to plant addresses
	}
	s.found = append(s.found, e)
	return nil
}

// isAsset reports whether the text is the address of one of the assets.
func (a *Adapter) isAsset(text []byte) bool {
	var contract address
	if !parseBytes(contract[:], text) {
		return false
	}
	_, ok := a.assets[contract]
	return ok
}
