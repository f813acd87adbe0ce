package main

import (
	"context"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
)

type userCreate struct {
	Email     string  `help:"E-mail address to sign in with."                                        placeholder:"ADDRESS" required:""`
	Password  *string `help:"10 to 128 characters; without it, or with -, read from standard input." placeholder:"TEXT"`
	FirstName string  `help:"First name."                                                            placeholder:"NAME"`
	LastName  string  `help:"Last name."                                                             placeholder:"NAME"`
	Operator  bool    `help:"Make the user an operator of this installation."`
	JSON      bool    `help:"Print JSON: id, email."                                                 name:"json"`
}

// Help returns the text that --help adds to the flags.
func (userCreate) Help() string {
	return `
A password on the command line can be seen by other users of the machine; prefer standard input.

Example:

    florin user create --email ada@example.com --json < password.txt
`
}

// Run creates the user.
func (c userCreate) Run(ctx context.Context, p *process) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	password, err := c.password(p)
	if err != nil {
		return err
	}
	return p.withUsers(ctx, cfg, func(users *identity.Service, _ *merchant.Service) error {
		u, err := users.CreateUser(ctx, identity.NewUser{
			Email: c.Email, Password: password, FirstName: c.FirstName, LastName: c.LastName, Operator: c.Operator,
			Verified: true, // the operator confirms it
		}, audit.Act{})
		if err != nil {
			return err
		}
		return c.print(p, u)
	})
}

func (c userCreate) password(p *process) (secret.Text, error) {
	if c.Password == nil || *c.Password == "-" {
		return p.chooseSecret("Password for " + c.Email)
	}
	return secret.New(*c.Password), nil
}

func (c userCreate) print(p *process, u identity.User) error {
	if !c.JSON {
		return p.say("User %s was made, with the id %s.", u.Email, u.PublicID)
	}
	return p.sayJSON(struct {
		ID    string `json:"id"`
		Email string `json:"email"`
	}{u.PublicID, u.Email})
}
