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

// worlds are the worlds whose database files are being opened.
var (
	worldsMu sync.Mutex
	worlds   = map[string]*world{}
	hook     sync.Once
)

// guard lets the world decide on the commits of the connections that are opened to the file until done is called.
func guard(path string, w *world) (done func()) {
	hook.Do(func() { sqlite.RegisterConnectionHook(attach) })
	worldsMu.Lock()
	defer worldsMu.Unlock()
	worlds[path] = w
	return func() {
		worldsMu.Lock()
		defer worldsMu.Unlock()
		delete(worlds, path)
	}
}

func attach(c sqlite.ExecQuerierContext, dsn string) error {
	worldsMu.Lock()
	defer worldsMu.Unlock()
	for path, w := range worlds {
		if strings.Contains(dsn, path) {
			c.(sqlite.HookRegisterer).RegisterCommitHook(w.commit)
		}
	}
	return nil
}

// commit decides on a commit of the instance whose code runs; those of the checks always succeed.
func (w *world) commit() int32 {
	w.commits++
	if n := len(w.running); n > 0 {
		return w.running[n-1].crasher.commit()
	}
	return 0
}
