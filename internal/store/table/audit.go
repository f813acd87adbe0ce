package table

import (
	"context"
	"slices"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/db"
)

// AuditFields completes the audit entries of a transaction with what is known only inside it.
type AuditFields struct {
	User    int64  // for entries without a user
	Actor   string // for entries without an actor
	Subject string // for entries without a subject
	Detail  string // appended to each detail
	More    audit.Record
	// Unchanged: the transaction changed nothing, so no entry is written.
	Unchanged bool
}

// WriteAudited runs body in a transaction and writes its audit entries and mails in the same one. body may set the
// fields.
func WriteAudited(
	ctx context.Context, e db.Engine, sealer *secret.Sealer, r audit.Record,
	body func(ctx context.Context, t db.Tx, a *AuditFields) error,
) error {
	return e.Write(ctx, func(ctx context.Context, t db.Tx) error {
		var fields AuditFields
		if err := body(ctx, t, &fields); err != nil || fields.Unchanged {
			return err
		}
		entries := append(InsertAudit(r.Entries, fields), InsertAudit(fields.More.Entries, fields)...)
		if err := db.RunEach(ctx, t, entries); err != nil {
			return err
		}
		return AddMails(ctx, t, sealer, slices.Concat(r.Mails, fields.More.Mails))
	})
}

// WriteOneAudited is WriteAudited for one statement. It reports whether the statement changed a row; if it did not, no
// entry is written.
func WriteOneAudited(
	ctx context.Context, e db.Engine, sealer *secret.Sealer, r audit.Record, a AuditFields, text string, args ...any,
) (changed bool, err error) {
	err = WriteAudited(ctx, e, sealer, r, func(ctx context.Context, t db.Tx, f *AuditFields) error {
		*f = a
		res, err := t.NewRaw(text, args...).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		changed = n == 1
		f.Unchanged = !changed
		return err
	})
	return changed && err == nil, db.Wrap(err, "%.24s…", text)
}

// InsertAudit returns the statements that write the entries, completed by the fields.
func InsertAudit(entries []audit.Entry, a AuditFields) []*db.Stmt {
	calls := make([]*db.Stmt, len(entries))
	for i, e := range entries {
		if e.UserID == 0 {
			e.UserID = a.User
		}
		if e.Actor == "" {
			e.Actor = a.Actor
		}
		if e.Subject == "" {
			e.Subject = a.Subject
		}
		e.Detail += a.Detail
		calls[i] = InsertEntry(e)
	}
	return calls
}

// InsertEntry returns the statement that writes one audit entry.
func InsertEntry(a audit.Entry) *db.Stmt {
	return db.Exec(`INSERT INTO audit_log (user_id, at, actor, action, subject, detail, address, personal)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		a.UserID, a.At, db.Shown(a.Actor), string(a.Action), db.Shown(a.Subject),
		db.Shown(a.Detail), db.Shown(a.Address), slices.Contains(audit.Personal(), a.Action))
}

// AuditOperators writes the audit entry for every operator; without one, for the first user.
func AuditOperators(ctx context.Context, t db.Tx, entry audit.Entry) error {
	_, err := t.NewRaw(`INSERT INTO audit_log (user_id, at, actor, action, subject, detail, address, personal)
		SELECT id, ?, ?, ?, ?, ?, ?, ? FROM users WHERE operator OR NOT EXISTS (SELECT 1 FROM users WHERE operator)
		AND id = (SELECT min(id) FROM users)`, entry.At, db.Shown(entry.Actor), string(entry.Action),
		db.Shown(entry.Subject), db.Shown(entry.Detail), db.Shown(entry.Address),
		slices.Contains(audit.Personal(), entry.Action)).Exec(ctx)
	return err
}
