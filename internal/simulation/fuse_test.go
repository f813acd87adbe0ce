package simulation

import (
	"errors"
	"strings"
	"sync"

	"modernc.org/sqlite"
)

// errKilled is what everything answers a process that is dead.
var errKilled = errors.New("the process was killed")

// fuse decides at every commit of one instance whether the process lives on.
// A commit is refused, or done and nobody learns of it; from then on the
// process changes nothing any more, neither here nor anywhere else.
type fuse struct {
	mu    sync.Mutex
	armed bool
	left  int // commits that are still done
	after bool
	dead  bool
	once  bool // the next commit fails, and the process lives on
	count int  // commits that were done
}

func (f *fuse) commit() int32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	const refused = 1
	if f.dead {
		return refused
	}
	if f.once {
		f.once = false
		return refused
	}
	if f.armed {
		if f.left == 0 {
			f.dead = true
			if !f.after {
				return refused
			}
		}
		f.left--
	}
	f.count++
	return 0
}

func (f *fuse) isDead() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dead
}

// fuses are the instances that open a database file at present.
var (
	fusesMu sync.Mutex
	fuses   = map[string]*fuse{}
	hook    sync.Once
)

// guard lets the fuse decide for the connections that are opened to the file
// until done is called.
func guard(path string, f *fuse) (done func()) {
	hook.Do(func() { sqlite.RegisterConnectionHook(attach) })
	fusesMu.Lock()
	defer fusesMu.Unlock()
	fuses[path] = f
	return func() {
		fusesMu.Lock()
		defer fusesMu.Unlock()
		delete(fuses, path)
	}
}

func attach(c sqlite.ExecQuerierContext, dsn string) error {
	fusesMu.Lock()
	defer fusesMu.Unlock()
	for path, f := range fuses {
		if strings.Contains(dsn, path) {
			c.(sqlite.HookRegisterer).RegisterCommitHook(f.commit)
		}
	}
	return nil
}
