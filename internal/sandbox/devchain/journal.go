package devchain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/gofrs/flock"
)

// journal stores a chain as what happened to it, in one file that only grows; Start does it again. A nil journal
// stores nothing.
type journal struct {
	file *os.File
	lock *flock.Flock
}

// entry is a block that was made, or without a hash a fork back to the block with the number. The first one is
// the chain's first block.
type entry struct {
	Number, Time, Salt uint64
	Hash               common.Hash
	Txs                []*types.Transaction
}

// openJournal opens or makes the journal of a directory, which belongs to one process at a time, and returns what
// it holds.
func openJournal(dir string) (j *journal, entries []entry, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, err
	}
	j = &journal{lock: flock.New(filepath.Join(dir, "lock"))}
	if ok, err := j.lock.TryLock(); err != nil || !ok {
		return nil, nil, errors.Join(errors.New("the directory is in use by another process"), err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, j.close())
		}
	}()
	path := filepath.Join(dir, "blocks")
	stored, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	if j.file, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		return nil, nil, err
	}
	entries, whole, err := readEntries(stored)
	if err != nil {
		return nil, nil, err
	}
	return j, entries, j.file.Truncate(int64(whole))
}

// readEntries returns the entries and how many bytes they take. What follows is the beginning of one that a killed
// process was writing.
func readEntries(stored []byte) (entries []entry, whole int, err error) {
	for {
		next := stored[whole:]
		_, _, after, torn := rlp.Split(next)
		if len(next) == 0 || torn != nil {
			return entries, whole, err
		}
		var e entry
		if err = rlp.DecodeBytes(next[:len(next)-len(after)], &e); err != nil {
			return nil, 0, fmt.Errorf("entry %d of the stored chain: %w", len(entries), err)
		}
		entries, whole = append(entries, e), len(stored)-len(after)
	}
}

func (j *journal) write(e entry) error {
	if j == nil {
		return nil
	}
	text, err := rlp.EncodeToBytes(e)
	if err != nil {
		return fmt.Errorf("devchain: encode block %d: %w", e.Number, err)
	}
	if _, err := j.file.Write(text); err != nil {
		return fmt.Errorf("devchain: store block %d: %w", e.Number, err)
	}
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("devchain: store block %d: %w", e.Number, err)
	}
	return nil
}

func (j *journal) sealed(b *block) error {
	return j.write(entry{Number: b.number, Time: b.time, Salt: b.salt, Hash: b.hash, Txs: b.transactions()})
}

func (j *journal) forked(to *block) error { return j.write(entry{Number: to.number}) }

func (j *journal) close() error {
	if j == nil {
		return nil
	}
	var err error
	if j.file != nil {
		err = j.file.Close()
	}
	return errors.Join(err, j.lock.Close())
}

// errForeign: the directory belongs to something else.
var errForeign = errors.New("it holds something else than this chain, or an earlier version of it; " +
	"delete the directory, which has test money only")

// restore does again what the journal of DataDir says.
func (c *Chain) restore() error {
	j, entries, err := openJournal(c.config.DataDir)
	if err != nil {
		return err
	}
	first := c.head()
	if len(entries) > 0 {
		err = c.replay(first, entries)
	} else if files, _ := os.ReadDir(c.config.DataDir); len(files) > 2 { // beside lock and blocks
		err = errForeign
	} else {
		err = j.sealed(first)
	}
	if err != nil {
		return errors.Join(err, j.close())
	}
	c.journal = j
	return nil
}

// replay executes the transactions again. An empty block takes its hash from the journal, which is fast: the next
// one that is executed, and in the end the head, prove those before it.
func (c *Chain) replay(first *block, entries []entry) (err error) {
	if entries[0].Hash != first.hash {
		return errForeign
	}
	head := first
	for _, e := range entries[1:] {
		var b *block
		switch {
		case e.Hash == (common.Hash{}) && e.Number <= head.number:
			head = c.blocks[e.Number]
			c.pop(head)
			continue
		case len(e.Txs) > 0:
			if b, err = c.build(head, e.Time, e.Salt, e.Txs); err != nil {
				return err
			}
		default:
			b = newBlock(head, c.rules, e.Time, e.Salt)
			b.hash = e.Hash
		}
		if b.hash != e.Hash {
			return errForeign
		}
		c.push(b)
		head = b
	}
	if head.header().Hash() != head.hash {
		return errForeign
	}
	return nil
}
