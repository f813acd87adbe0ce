package main

import (
	"context"
	"errors"

	"github.com/florinpay/florin/internal/app"
	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
)

// userCommands are what an operator does for users, above all those who are locked out.
type userCommands struct {
	Create      userCreate      `cmd:"" help:"Make a user."`
	List        userList        `cmd:"" help:"List users."`
	Password    userPassword    `cmd:"" help:"Set a new password for a user, or make a link by which they set it."`
	ResetFactor userResetFactor `cmd:"" help:"Remove a user's authenticator, recovery codes and passkeys."`
	EndSessions userEndSessions `cmd:"" help:"Sign a user out everywhere."`
	Operator    userOperator    `cmd:"" help:"Make a user an operator of this installation, or take that back."`
}

type userPassword struct {
	Email    string  `help:"E-mail address of the user."                                            placeholder:"ADDRESS" required:""`
	Password *string `help:"10 to 128 characters; without it, or with -, read from standard input." placeholder:"TEXT"    xor:"how"`
	Link     bool    `help:"Print a link by which the user sets it; it works once, within an hour." xor:"how"`
}

// Help returns the text that --help adds to the flags.
func (userPassword) Help() string {
	return `
Ends every session of the user and the links to a new password that were made before;
--link ends them when it is used. The user is notified by mail where mail is sent. An
authenticator is still asked for: see florin user reset-factor.
A password on the command line can be seen by other users of the machine.

Example:

    florin user password --email ada@example.com --link
    florin user password --email ada@example.com < password.txt
`
}

// Run sets the password.
func (c userPassword) Run(ctx context.Context, p *process) error {
	if c.Link {
		return p.forUser(ctx, c.Email, c.printLink)
	}
	next, err := userCreate{Email: c.Email, Password: c.Password}.password(p)
	if err != nil {
		return err
	}
	return p.forUser(ctx, c.Email, func(ctx context.Context, o onUser) error {
		if err := o.users.RecoverPassword(ctx, o.user, next, by("florin user password")); err != nil {
			return err
		}
		return p.say("The password of %s is set, and every session of theirs is ended.", o.user.Email)
	})
}

// printLink prints a link to a new password.
func (c userPassword) printLink(ctx context.Context, o onUser) error {
	token, err := o.users.ResetLink(ctx, o.user, by("florin user password --link"))
	if err != nil {
		return err
	}
	return o.p.say("%s/reset?token=%s", o.cfg.BaseURL, token.Reveal())
}

type userResetFactor struct {
	Email string `help:"E-mail address of the user." placeholder:"ADDRESS" required:""`
}

// Help returns the text that --help adds to the flags.
func (userResetFactor) Help() string {
	return `
For a user who lost the device with their authenticator or passkeys. The password alone
signs in then, so make sure that it is the user who asks. Every session of theirs ends,
and the user is notified by mail where mail is sent.

Example:

    florin user reset-factor --email ada@example.com
`
}

// Run removes the second factors.
func (c userResetFactor) Run(ctx context.Context, p *process) error {
	return p.forUser(ctx, c.Email, func(ctx context.Context, o onUser) error {
		if err := o.users.RecoverFactors(ctx, o.user, by("florin user reset-factor")); err != nil {
			return err
		}
		return p.say("%s has no authenticator, recovery codes and passkeys any more, and every session of theirs is ended.",
			o.user.Email)
	})
}

type userEndSessions struct {
	Email string `help:"E-mail address of the user." placeholder:"ADDRESS" required:""`
}

// Help returns the text that --help adds to the flags.
func (userEndSessions) Help() string {
	return `
For a stolen laptop, or a session that should not be there. API keys go on: see
florin key revoke.

Example:

    florin user end-sessions --email ada@example.com
`
}

// Run ends the sessions.
func (c userEndSessions) Run(ctx context.Context, p *process) error {
	return p.forUser(ctx, c.Email, func(ctx context.Context, o onUser) error {
		if err := o.users.EndSessions(ctx, o.user, by("florin user end-sessions")); err != nil {
			return err
		}
		return p.say("Every session of %s is ended.", o.user.Email)
	})
}

type userOperator struct {
	Email  string `help:"E-mail address of the user."      placeholder:"ADDRESS" required:""`
	Remove bool   `help:"Take the operator's rights back."`
}

// Help returns the text that --help adds to the flags.
func (userOperator) Help() string {
	return `
An operator sees every merchant's users, keys and payments, and can disable them.

Example:

    florin user operator --email ada@example.com
    florin user operator --email ada@example.com --remove
`
}

// Run changes the operator's rights.
func (c userOperator) Run(ctx context.Context, p *process) error {
	return p.forUser(ctx, c.Email, func(ctx context.Context, o onUser) error {
		now := "is an operator now"
		if c.Remove {
			now = "is no operator any more"
		}
		err := o.users.SetOperator(ctx, o.user, !c.Remove, by("florin user operator"))
		if errors.Is(err, identity.ErrAsItIs) {
			return fault.New(fault.Conflict, "nothing changed: %s is %s", c.Email, map[bool]string{
				true: "no operator", false: "an operator already",
			}[c.Remove])
		}
		if err != nil {
			return err
		}
		return p.say("%s %s.", o.user.Email, now)
	})
}

// onUser is what a command on one user uses.
type onUser struct {
	p         *process
	cfg       config.Config
	users     *identity.Service
	merchants *merchant.Service
	user      identity.User
}

// forUser calls do with the user of the e-mail address.
func (p *process) forUser(ctx context.Context, email string, do func(context.Context, onUser) error) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	return p.withUsers(ctx, cfg, func(users *identity.Service, merchants *merchant.Service) error {
		user, err := userWith(ctx, users, email)
		if err != nil {
			return err
		}
		return do(ctx, onUser{p, cfg, users, merchants, user})
	})
}

// userWith returns the user with the e-mail address.
func userWith(ctx context.Context, users *identity.Service, email string) (identity.User, error) {
	user, err := users.UserByEmail(ctx, email)
	if errors.Is(err, identity.ErrUnknownUser) {
		err = fault.New(fault.NotFound, "there is no user with the e-mail address %s; see `florin user list`", email)
	}
	return user, err
}

// by is the command, which acts for the operator.
func by(command string) audit.Act { return audit.Act{Who: command, At: app.Now()} }
