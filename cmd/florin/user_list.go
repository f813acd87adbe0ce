package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/florinpay/florin/internal/store"
	reports "github.com/florinpay/florin/internal/store/report" // report is a function of this package
)

type userList struct {
	Find string `help:"The beginning of an e-mail address or of a key's name, or the id of a user or key."             placeholder:"TEXT"`
	JSON bool   `help:"Print JSON: a list of id, email, operator, disabled, authenticator, passkeys, keys, createdAt." name:"json"`
}

// Help returns the text that --help adds to the flags.
func (userList) Help() string {
	return `
Lists the users of this installation, the newest first.

Example:

    florin user list
    florin user list --find ada@ --json
`
}

// listedUser is a user as the list shows them.
type listedUser struct {
	ID            string    `json:"id"`
	Email         string    `json:"email"`
	Operator      bool      `json:"operator"`
	Disabled      bool      `json:"disabled"`
	Authenticator bool      `json:"authenticator"`
	Passkeys      int64     `json:"passkeys"`
	Keys          int64     `json:"keys"`
	CreatedAt     time.Time `json:"createdAt"`
}

// Run lists the users.
func (c userList) Run(ctx context.Context, p *process) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	return p.withStore(ctx, cfg, func(s *store.Store) error {
		users, err := usersOf(ctx, s.Reports(), c.Find)
		if err != nil {
			return err
		}
		list := make([]listedUser, len(users))
		for i, u := range users {
			list[i] = listedUser{
				u.PublicID, u.Email, u.Operator, !u.DisabledAt.IsZero(), u.Factor, u.Passkeys, u.Keys, u.CreatedAt,
			}
		}
		if c.JSON {
			return p.sayJSON(list)
		}
		w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(w, "E-MAIL\tID\tOPERATOR\tDISABLED\tAUTHENTICATOR\tPASSKEYS\tKEYS\tSINCE")
		for _, u := range list {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\n", u.Email, u.ID, yesNo(u.Operator),
				yesNo(u.Disabled),
				yesNo(u.Authenticator), u.Passkeys, u.Keys, u.CreatedAt.UTC().Format(time.DateOnly))
		}
		return w.Flush()
	})
}

// usersOf returns every user that the text finds, the newest first.
func usersOf(ctx context.Context, reader *reports.Reader, text string) ([]reports.User, error) {
	var all []reports.User
	q := reports.UserQuery{Text: text, Limit: reports.MaxPage}
	for {
		page, err := reader.Users(ctx, q)
		if err != nil || len(page) == 0 {
			return all, err
		}
		all = append(all, page...)
		q.Before = page[len(page)-1].ID
	}
}

func yesNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}
