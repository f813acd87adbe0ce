package devsol

import (
	"errors"
	"time"
)

// Defaults of a ledger.
const (
	// DefaultFinalDepth is how many slots on top make a slot final, as on mainnet.
	DefaultFinalDepth = 31
	// DefaultLamportsPerByte is the rent exemption a byte: the rate of mainnet since September 2026.
	DefaultLamportsPerByte = 5_080
)

// Config configures a ledger. The zero value is one in memory whose slots are made by Seal.
type Config struct {
	// Dir stores the ledger; empty keeps it in memory. Only one process at a time may use a directory.
	Dir string
	// SlotTime is the interval at which slots are made; with zero only Seal makes them.
	SlotTime time.Duration
	// SkipEvery leaves one slot in so many of the timer without a block, as when a leader is down; zero
	// leaves none.
	SkipEvery uint64
	// FinalDepth is how many slots finalized trails confirmed by; zero means
	// DefaultFinalDepth.
	FinalDepth uint64
	// LamportsPerByte is the rate of rent exemption; zero means
	// DefaultLamportsPerByte.
	LamportsPerByte uint64
}

func (c Config) withDefaults() (Config, error) {
	if c.SlotTime < 0 || c.SlotTime%time.Millisecond != 0 {
		return c, errors.New("devsol: SlotTime must be whole milliseconds, or zero for slots by Seal")
	}
	if c.FinalDepth == 0 {
		c.FinalDepth = DefaultFinalDepth
	}
	if c.LamportsPerByte == 0 {
		c.LamportsPerByte = DefaultLamportsPerByte
	}
	return c, nil
}
