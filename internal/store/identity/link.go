package identity

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/store/db"
)

var _ = db.NewTable[identity.Link]("links", `
	read: token user_id=User.ID public_id=User.PublicID email=User.Email first_name=User.FirstName
	      last_name=User.LastName password_hash=User.PasswordHash language=User.Language created_at expires_at used_at before locked`)

// linkTable is where links of a kind are kept, and how they are read. A sign-up of a user who exists has their present
// password.
type linkTable struct{ name, read string }

var linkTables = map[identity.LinkKind]linkTable{
	identity.LinkReset:      {"password_resets", "SELECT * FROM password_resets WHERE token = ?"},
	identity.LinkInvitation: {"invitations", "SELECT token, email, invited_by AS user_id, created_at, expires_at, used_at FROM invitations WHERE token = ?"},
	identity.LinkSignUp: {"sign_ups", `SELECT s.token, s.user_id, s.public_id, s.email, s.first_name, s.last_name,
		coalesce(u.password_hash, s.password_hash) AS password_hash, s.language, s.expires_at, coalesce(u.email, '') AS before,
		EXISTS (SELECT 1 FROM wallet_locks AS l JOIN memberships AS m ON m.merchant_id = l.merchant_id
			WHERE m.user_id = s.user_id) AS locked
		FROM sign_ups AS s LEFT JOIN users AS u ON u.id = s.user_id WHERE s.token = ?`},
}

// loadLink reads a link and locks it; an empty one if there is none.
func loadLink(ctx context.Context, from bun.IDB, lock string, by identity.By) (l identity.Link, err error) {
	kept := linkTables[by.Link]
	if lock != "" {
		var found []int
		err := from.NewRaw("SELECT 1 FROM "+kept.name+" WHERE token = ?"+lock, by.Token[:]).Scan(ctx, &found)
		if err != nil {
			return l, err
		}
	}
	l, err = db.First[identity.Link](ctx, from, nil, kept.read, by.Token[:])
	if l.Token == by.Token {
		l.Kind = by.Link
	}
	return l, err
}

// saveLink stores a new link, or that one was used.
func saveLink(before, after identity.Link) []*db.Stmt {
	token, u := after.Token[:], after.User
	switch {
	case after.Token == before.Token && (after.UsedAt.IsZero() || !before.UsedAt.IsZero()):
		return nil
	case after.Token == before.Token && after.Kind == identity.LinkSignUp:
		return []*db.Stmt{db.Exec("DELETE FROM sign_ups WHERE token = ?", token)}
	case after.Token == before.Token:
		return []*db.Stmt{
			db.Exec("UPDATE "+linkTables[after.Kind].name+" SET used_at = ? WHERE token = ?", after.UsedAt, token),
		}
	case after.Kind == identity.LinkReset:
		return []*db.Stmt{db.Exec("INSERT INTO password_resets (token, user_id, created_at, expires_at) VALUES (?, ?, ?, ?)",
			token, u.ID, after.CreatedAt, after.ExpiresAt)}
	case after.Kind == identity.LinkInvitation:
		return []*db.Stmt{db.Exec("INSERT INTO invitations (token, email, invited_by, created_at, expires_at) VALUES (?, ?, ?, ?, ?)",
			token, u.Email, u.ID, after.CreatedAt, after.ExpiresAt)}
	}
	return []*db.Stmt{
		db.Exec("DELETE FROM sign_ups WHERE expires_at <= ?", after.CreatedAt).AnyNumber(),
		db.Exec(`INSERT INTO sign_ups (token, user_id, public_id, email, first_name, last_name, password_hash, language, expires_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			token, u.ID, u.PublicID, u.Email, u.FirstName, u.LastName, u.PasswordHash, u.Language, after.ExpiresAt),
	}
}
