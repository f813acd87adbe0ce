package chain

import "github.com/florinpay/florin/internal/money"

// Watched is an address that money is expected on.
type Watched struct {
	Address Address
	// Raw is the address in the chain's own bytes: 20 for EVM, 32 for Solana.
	Raw []byte
}

// WatchSet is a set of watched addresses with look-ups in constant time. It is
// not safe for concurrent use.
type WatchSet struct {
	byRaw map[string]Address
	// Floods are addresses of the set, or of others, that somebody sends small transfers to again and again.
	Floods map[Address]Flood
}

// Flood says which transfers to an address a scan shows without the calls that place each in its transaction and block
// (Transfer.Placed): those worth less than Below in blocks after After, but those of the transactions Placed. Each
// transfer is always shown in the same way. The zero Flood has none.
type Flood struct {
	After  uint64
	Below  money.Micros
	Placed map[TxHash]bool
}

// Has reports whether a transfer that is worth so much is one of these.
func (f Flood) Has(block uint64, tx TxHash, worth money.Atto) bool {
	return block > f.After && !f.Placed[tx] && worth.Cmp(f.Below.Atto()) < 0
}

// NewWatchSet returns a set with room for n addresses.
func NewWatchSet(n int) *WatchSet { return &WatchSet{byRaw: make(map[string]Address, n)} }

// Add puts the address into the set; adding it twice is fine.
func (s *WatchSet) Add(w Watched) { s.byRaw[string(w.Raw)] = w.Address }

// AddAccount puts a token account into the set whose money is that of the watched address.
func (s *WatchSet) AddAccount(w, account Watched) {
	s.byRaw[string(w.Raw)+string(account.Raw)] = w.Address
}

// Remove takes the address out of the set.
func (s *WatchSet) Remove(raw []byte) { delete(s.byRaw, string(raw)) }

// Lookup returns the watched address of these bytes. It does not allocate.
func (s *WatchSet) Lookup(raw []byte) (Address, bool) {
	a, ok := s.byRaw[string(raw)]
	return a, ok
}

// Len returns how many addresses are watched.
func (s *WatchSet) Len() int { return len(s.byRaw) }

// All calls yield for every watched address until it returns false.
func (s *WatchSet) All(yield func(raw []byte, a Address) bool) {
	for raw, a := range s.byRaw {
		if !yield([]byte(raw), a) {
			return
		}
	}
}
