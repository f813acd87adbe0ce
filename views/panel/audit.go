package panel

import "time"

// AuditRow is an entry of the audit log.
type AuditRow struct {
	At                                    time.Time
	Actor, Action, Subject, Detail, Where string
	Agent                                 string // User-Agent of a sign-in; may be empty
}
