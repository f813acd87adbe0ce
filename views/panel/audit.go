package panel

import "time"

// AuditRow is a line of the audit log.
type AuditRow struct {
	At                                    time.Time
	Actor, Action, Subject, Detail, Where string
	Agent                                 string // what somebody signed in with, as it calls itself; may be empty
}
