package devsol

import (
	"bufio"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	solana "github.com/gagliardetto/solana-go"
)

// record is one line of the journal. Exactly one field is set, or Slot and Tx.
type record struct {
	Keys  *storedKeys `json:"keys,omitempty"`
	Clock *anchor     `json:"clock,omitempty"` // a run begins
	Slot  uint64      `json:"slot,omitempty"`
	Tx    []byte      `json:"tx,omitempty"` // of Slot
	Skip  uint64      `json:"skip,omitempty"`
	Fork  *fork       `json:"fork,omitempty"`
	Mark  uint64      `json:"mark,omitempty"` // the ledger had reached this slot
}

// markEvery is after how many slots the journal records the newest slot. After a crash the ledger continues
// so many slots above the last record: every slot that was ever reported exists, and empty slots need no
// line.
const markEvery = 64

// keyring holds the keys a ledger begins with.
type keyring struct {
	genesis solana.Hash
	faucet  solana.PrivateKey
	usdt    solana.PrivateKey
	usdc    solana.PrivateKey
	fake    solana.PrivateKey
}

type storedKeys struct {
	Genesis []byte   `json:"genesis"`
	Seeds   [][]byte `json:"seeds"` // faucet, USDT, USDC, counterfeit
}

func newKeys() *storedKeys {
	k := &storedKeys{Genesis: make([]byte, 32)}
	_, _ = rand.Read(k.Genesis) // never fails
	for range 4 {
		seed := make([]byte, ed25519.SeedSize)
		_, _ = rand.Read(seed)
		k.Seeds = append(k.Seeds, seed)
	}
	return k
}

func (k *storedKeys) open() (keyring, error) {
	if len(k.Genesis) != 32 || len(k.Seeds) != 4 {
		return keyring{}, errors.New("devsol: the journal's keys are damaged; delete the directory to start again")
	}
	key := func(i int) solana.PrivateKey { return solana.PrivateKey(ed25519.NewKeyFromSeed(k.Seeds[i])) }
	return keyring{genesis: solana.Hash(k.Genesis), faucet: key(0), usdt: key(1), usdc: key(2), fake: key(3)}, nil
}

// journal is the file from which a ledger is rebuilt; the zero journal stores nothing.
type journal struct{ file *os.File }

func (j *journal) write(r record) error {
	if j == nil || j.file == nil {
		return nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("devsol: write the journal: %w", err)
	}
	return nil
}

func (j *journal) close() error {
	if j.file == nil {
		return nil
	}
	return errors.Join(j.file.Sync(), j.file.Close())
}

// open reads the journal, or creates one, and restores the ledger.
func (l *Ledger) open() error {
	l.journal = &journal{}
	if l.config.Dir == "" {
		return l.begin()
	}
	if err := os.MkdirAll(l.config.Dir, 0o700); err != nil {
		return err
	}
	path := filepath.Join(l.config.Dir, "journal.jsonl")
	file, err := os.OpenFile(filepath.Clean(path), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := l.replay(file); err != nil {
		return errors.Join(fmt.Errorf("devsol: %s: %w", path, err), file.Close())
	}
	l.journal.file = file
	if l.keys.faucet == nil {
		return l.begin()
	}
	return l.run()
}

// begin creates the first accounts.
func (l *Ledger) begin() (err error) {
	stored := newKeys()
	if l.keys, err = stored.open(); err != nil {
		return err
	}
	if err := l.journal.write(record{Keys: stored}); err != nil {
		return err
	}
	l.genesis()
	return l.run()
}

// run records the start of this run.
func (l *Ledger) run() error {
	a := anchor{Slot: l.next(), Time: time.Now().UnixMilli(), Millis: l.config.SlotTime.Milliseconds()}
	if len(l.clock) > 0 { // slots made by hand may be ahead of the wall clock
		a.Time = max(a.Time, l.timeOf(l.head).UnixMilli())
	}
	l.clock = append(l.clock, a)
	return l.journal.write(record{Clock: &a})
}

// replay applies the journal up to a line that a crash cut short, and removes that line.
func (l *Ledger) replay(file *os.File) error {
	reader := bufio.NewReader(file)
	good := int64(0)
	marked := uint64(0)
	ended := false
	for {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			return fmt.Errorf("damaged at byte %d; delete the directory to start again", good)
		}
		if err := l.redo(r); err != nil {
			return err
		}
		good += int64(len(line))
		ended = r.Mark > 0 && r.Mark%markEvery != 0
		marked = max(marked, r.Mark, r.Slot, r.Skip)
	}
	l.sealTo(marked)
	if marked > 0 && !ended {
		l.sealTo(l.head + markEvery) // slots without a line may have been reported
	}
	if err := file.Truncate(good); err != nil {
		return err
	}
	_, err := file.Seek(good, io.SeekStart)
	return err
}

// redo applies one line.
func (l *Ledger) redo(r record) (err error) {
	switch {
	case r.Keys != nil:
		if l.keys, err = r.Keys.open(); err == nil {
			l.genesis()
		}
	case r.Clock != nil:
		l.sealTo(r.Clock.Slot - 1)
		l.clock = append(l.clock, *r.Clock)
	case r.Tx != nil:
		l.sealTo(r.Slot - 1)
		tx, decodeErr := decode(r.Tx)
		if decodeErr != nil {
			return decodeErr
		}
		if _, failed := l.take(tx, r.Tx, true); failed != nil {
			return fmt.Errorf("transaction %s of slot %d: %w", tx.Signatures[0], r.Slot, failed)
		}
	case r.Skip > 0:
		l.sealTo(r.Skip - 1)
		l.skipped = append(l.skipped, r.Skip)
	case r.Fork != nil:
		l.sealTo(r.Fork.From - 1)
		l.undo(r.Fork.From)
	case r.Mark > 0:
		l.sealTo(r.Mark)
	}
	return nil
}

// sealTo makes slots up to the given one.
func (l *Ledger) sealTo(slot uint64) {
	for l.next() <= slot {
		if l.pending == nil {
			l.head = slot // empty ones leave no trace
			return
		}
		_ = l.seal() // writes nothing while the journal is read
	}
}
