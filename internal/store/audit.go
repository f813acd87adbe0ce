package store

import (
	"context"
	"math"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/uptrace/bun"
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
func (s *Store) act(
	ctx context.Context, trail []audit.Entry, a about, body func(ctx context.Context, t tx, a *about) error,
) error {
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
func (s *Store) actOne(
	ctx context.Context, trail []audit.Entry, a about, text string, args ...any,
) (changed bool, err error) {
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

// auditRow is one line of the audit log.
type auditRow struct {
	ID      int64
	UserID  int64
	At      instant
	Actor   string
	Action  string
	Subject string
	Detail  string
	Address string
}

// AddAudit appends a line to the audit log.
func (s *Store) AddAudit(ctx context.Context, a audit.Entry) error {
	err := s.db.Write(ctx, func(ctx context.Context, t tx) error { return db.RunEach(ctx, t, []*db.Stmt{saveLine(a)}) })
	return wrapIf(err, "append to the audit log of user %d", a.UserID)
}

// AuditLog lists what the user did to their own sign-in, and what was done for
// the merchant (0: none), before the line given (0: from the newest), the
// newest first.
func (s *Store) AuditLog(ctx context.Context, userID, merchantID, before int64, limit int) ([]audit.Entry, error) {
	if before <= 0 {
		before = math.MaxInt64
	}
	// Each half ends at its limit, so a long log is not read whole.
	half := func(is, name string) string {
		return "SELECT * FROM (SELECT id, user_id, at, actor, action, subject, detail, address FROM audit_log WHERE user_id = ? AND id < ? AND action " +
			is + " (?) ORDER BY id DESC LIMIT ?) AS " + name
	}
	personal := bun.List(audit.Personal())
	var rows []auditRow
	err := s.reader().NewRaw(half("IN", "own")+" UNION ALL "+half("NOT IN", "merchant")+" ORDER BY id DESC LIMIT ?",
		userID, before, personal, limit, merchantID, before, personal, limit, limit).Scan(ctx, &rows)
	if err != nil {
		return nil, wrapIf(err, "audit log of user %d", userID)
	}
	list := make([]audit.Entry, len(rows))
	for i, r := range rows {
		list[i] = audit.Entry{
			ID: r.ID, UserID: r.UserID, At: r.At.Time, Actor: r.Actor, Action: audit.Action(r.Action),
			Subject: r.Subject, Detail: r.Detail, Address: r.Address,
		}
	}
	return list, nil
}
