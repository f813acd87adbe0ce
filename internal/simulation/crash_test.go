package simulation

import (
	"errors"
	"strings"
	"sync"

	"modernc.org/sqlite"
)

// errCrashed is the answer to every call of a crashed instance.
var errCrashed = errors.New("the process was killed")

// crasher decides at every commit of one instance whether the instance crashes. The commit is then refused,
// or done without an answer; afterwards the instance changes nothing any more.
type crasher struct {
	mu    sync.Mutex
	armed bool
	left  int  // commits before the crash
	after bool // the commit is done, but its answer is lost
	dead  bool
	once  bool // the next commit fails without a crash
	count int  // successful commits
}

func (f *crasher) commit() int32 {
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

func (f *crasher) crashed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dead
}

// crashers are the crashers of database files that are being opened.
var (
	crashersMu sync.Mutex
	crashers   = map[string]*crasher{}
	hook       sync.Once
)

// guard attaches the crasher to the connections that are opened to the file until done is called.
func guard(path string, f *crasher) (done func()) {
	hook.Do(func() { sqlite.RegisterConnectionHook(attach) })
	crashersMu.Lock()
	defer crashersMu.Unlock()
	crashers[path] = f
	return func() {
		crashersMu.Lock()
		defer crashersMu.Unlock()
		delete(crashers, path)
	}
}

func attach(c sqlite.ExecQuerierContext, dsn string) error {
	crashersMu.Lock()
	defer crashersMu.Unlock()
	for path, f := range crashers {
		if strings.Contains(dsn, path) {
			c.(sqlite.HookRegisterer).RegisterCommitHook(f.commit)
		}
	}
	return nil
}
