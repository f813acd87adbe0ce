package webhook

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"
)

// ReceiverID names a receiver: a hash of its URL, which is too long for a good
// index key. Many receivers may share one host.
type ReceiverID int64

// ReceiverOf returns the ID of the URL's receiver.
func ReceiverOf(url string) ReceiverID {
	sum := sha256.Sum256([]byte(url))
	return ReceiverID(binary.BigEndian.Uint64(sum[:8])) //nolint:gosec // all 64 bits, whatever their sign
}

// DueReceiver is a receiver that has deliveries due.
type DueReceiver struct {
	ID    ReceiverID
	Since time.Time // when the first of them was due
	Held  int       // how many of its deliveries were claimed since ClaimedLately, by any instance
}

// Share is how many deliveries of a receiver to claim.
type Share struct {
	Receiver ReceiverID
	N        int
}

// Divide divides a claim of at most limit deliveries among the receivers. The
// next one always goes to the receiver that holds the fewest, so that a long
// queue of one delays no other. grant reports whether a receiver that would then
// hold n may have one more; it is called once for each delivery granted.
func Divide(due []DueReceiver, limit int, grant func(id ReceiverID, n int) bool) []Share {
	open := slices.Clone(due)
	slices.SortFunc(open, func(a, b DueReceiver) int {
		return cmp.Or(cmp.Compare(a.Held, b.Held), a.Since.Compare(b.Since))
	})
	shares := make(map[ReceiverID]int)
	for level := 1; len(open) > 0 && limit > 0; level++ {
		level = max(level, open[0].Held+1)
		open = slices.DeleteFunc(open, func(r DueReceiver) bool {
			if r.Held >= level || limit == 0 {
				return false
			}
			if !grant(r.ID, level) {
				return true
			}
			shares[r.ID]++
			limit--
			return false
		})
	}
	var list []Share
	for _, r := range due {
		if n := shares[r.ID]; n > 0 {
			list = append(list, Share{r.ID, n})
		}
	}
	return list
}
