package store

import (
	"context"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/store/db"
)

// about is what only an act itself can tell of the lines it leaves.
type about struct {
	user    int64  // whom it concerned, for lines without a user
	actor   string // who did it, for lines without an actor
	subject string // what it was done to, for lines without a subject
	detail  string // ends each detail
	more    []audit.Entry
	// nothing was done, so nothing is told.
	nothing bool
}

// act is write for an act that is audited: its entries are written in the same
// transaction. body may fill in what only the act knows of them.
func (s *Store) act(ctx context.Context, trail []audit.Entry, a about, body func(ctx context.Context, t tx, a *about) error) error {
	return s.db.Write(ctx, func(ctx context.Context, t tx) error {
		told := a
		if err := body(ctx, t, &told); err != nil || told.nothing {
			return err
		}
		return db.RunEach(ctx, t, append(saveLines(trail, told), saveLines(told.more, told)...))
	})
}

// actOne is act for one statement. It reports whether the statement changed a
// row; if it did not, nothing is told.
func (s *Store) actOne(ctx context.Context, trail []audit.Entry, a about, text string, args ...any) (changed bool, err error) {
	err = s.act(ctx, trail, a, func(ctx context.Context, t tx, a *about) error {
		res, err := t.NewRaw(text, args...).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		changed = n == 1
		a.nothing = !changed
		return err
	})
	return changed && err == nil, wrapIf(err, "%.24s…", text)
}

// saveLines returns the calls that write the lines; none without any.
func saveLines(lines []audit.Entry, a about) []*db.Stmt {
	calls := make([]*db.Stmt, len(lines))
	for i, line := range lines {
		if line.UserID == 0 {
			line.UserID = a.user
		}
		if line.Actor == "" {
			line.Actor = a.actor
		}
		if line.Subject == "" {
			line.Subject = a.subject
		}
		line.Detail += a.detail
		calls[i] = saveLine(line)
	}
	return calls
}

func saveLine(a audit.Entry) *db.Stmt {
	return db.Exec("INSERT INTO audit_log (user_id, at, actor, action, subject, detail, address) VALUES (?, ?, ?, ?, ?, ?, ?)",
		a.UserID, db.At(a.At), shown(a.Actor), string(a.Action), shown(a.Subject), shown(a.Detail), shown(a.Address))
}
