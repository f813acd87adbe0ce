package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/florinpay/florin/internal/app"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/doctor"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/mail/smtp"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
)

type checkUp struct {
	JSON bool   `help:"Print one JSON object."                                          name:"json"`
	Fix  bool   `help:"Take from others what they may do with files that hold secrets."`
	Mail string `help:"Send a test mail to this address, too."                          placeholder:"ADDRESS"`
}

// Help returns the text that --help adds to the flags.
func (checkUp) Help() string {
	return `
Checks the installation against the real things and changes nothing but, with
--fix, the permissions of files: settings, files with secrets, open files,
database (version, isolation, durability, size), secret key, clock, disk, public
address, proxy, mail server, and of each network every endpoint by itself (chain,
contracts, tokens, lag, tags, range of eth_getLogs, archive depth, batches, rate of
calls), gas wallet and treasury; of each currency what its price feeds say, how old
that is and how far they are apart. One line each says that it is fine, or what to do. Run it with the settings of the server, beside it;
a server that does not run is reported as not reached.

The exit status is 0 if nothing is wrong; warnings do not change it.

Examples:

    florin doctor
    florin doctor --mail you@example.com
`
}

var errWrong = errors.New("something is wrong; the lines above say what to do")

// Run checks everything.
func (c checkUp) Run(ctx context.Context, p *process) error {
	report := p.examine(ctx, c)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	show := report.Print
	if c.JSON {
		show = report.JSON
	}
	if err := show(p.stdout); err != nil {
		return err
	}
	if report.Verdict() == doctor.Wrong {
		return errWrong
	}
	return nil
}

// examine makes every check that the settings allow.
func (p *process) examine(ctx context.Context, c checkUp) (r doctor.Report) {
	cfg, err := config.Load(p.environ, p.envPath())
	if problems, ok := errors.AsType[config.Problems](err); ok {
		for _, x := range problems {
			r.Problem(x.Name, x.Reason)
		}
		return r
	}
	r.Configured()
	files := config.SecretFiles(p.environ, p.envPath())
	if path, lite := strings.CutPrefix(cfg.DatabaseURL.Reveal(), "sqlite://"); lite {
		files = append(files, path)
	}
	r.Files(files, c.Fix)
	r.OpenFiles(app.MaxFiles())
	p.examineDatabase(ctx, cfg, &r)
	r.Public(ctx, "FLORIN_BASE_URL", cfg.BaseURL)
	if cfg.CheckoutURL != cfg.BaseURL {
		r.Public(ctx, "FLORIN_CHECKOUT_URL", cfg.CheckoutURL)
	}
	examineMail(ctx, cfg, c.Mail, &r)
	r.Credits(cfg.CreditsEnd())
	r.Sold(len(cfg.Networks), payment.NothingSold(0))
	for _, n := range cfg.Networks {
		x, err := examined(cfg, n)
		if err != nil {
			r.Problem(string(n.Profile.Network), err.Error())
			continue
		}
		r.Network(ctx, x, app.Now)
	}
	if rates, err := app.ReadRates(ctx, cfg); err != nil {
		r.Problem("rates", err.Error())
	} else if len(cfg.Networks) > 0 {
		r.Rates(rates)
	}
	return r
}

func (p *process) examineDatabase(ctx context.Context, cfg config.Config, r *doctor.Report) {
	sealer, err := cfg.Sealer()
	if err != nil {
		r.Problem("FLORIN_SECRET_KEY", err.Error())
		return
	}
	url := cfg.DatabaseURL.Reveal()
	path, lite := strings.CutPrefix(url, "sqlite://")
	if _, err := os.Stat(path); lite && errors.Is(err, fs.ErrNotExist) {
		r.Problem("database", "there is no file "+path+" yet: `florin migrate` or `florin serve` makes it")
		return
	}
	hosts, unread := store.Hosts(ctx, url)
	s, err := store.Open(ctx, url, sealer, store.Options{Log: app.NewLogger(cfg)})
	if unread == nil && (err == nil || len(hosts) > 1) { // why the only one cannot be used is said once
		r.Hosts(hosts)
	}
	if err != nil {
		r.Problem("database", "it cannot be opened: "+err.Error())
		return
	}
	defer func() { _ = s.Close() }()
	directory := ""
	if lite {
		directory = filepath.Dir(path)
	}
	r.Database(ctx, s, directory, app.Now)
	r.Copy(app.CheckCopy(ctx, cfg, s))
}

func examineMail(ctx context.Context, cfg config.Config, to string, r *doctor.Report) {
	if cfg.SMTPURL.Empty() {
		r.Mail(ctx, nil)
		if to != "" {
			r.Problem("test mail", "it was not sent: set FLORIN_SMTP_URL and FLORIN_MAIL_FROM first")
		}
		return
	}
	s, err := smtp.New(cfg.SMTPURL, cfg.MailFrom)
	if err != nil {
		r.Problem("mail", err.Error())
		return
	}
	r.Mail(ctx, s.Check)
	if to != "" {
		r.TestMail(ctx, to, func(ctx context.Context) error {
			return s.Send(ctx, mail.Mail{
				ID: "test." + rand.Text(), To: to, Subject: "A test of Florin's mail", At: app.Now(),
				Text: secret.New("This mail was sent by `florin doctor --mail` of " + cfg.BaseURL + ". Mail works."),
			})
		})
	}
}

// Addresses that no payment can have: queries for their payments find next to nothing.
const (
	burnt      = "0x000000000000000000000000000000000000dEaD"
	incinerate = "1nc1nerator11111111111111111111111111111111"
)

// examined opens the network, through each endpoint by itself and through all of them.
func examined(cfg config.Config, n config.Network) (doctor.Network, error) {
	x := doctor.Network{
		Profile: n.Profile, Treasury: n.Treasury, Rate: n.CallRate(),
	}
	watched := incinerate
	if n.Profile.Network.EVM() {
		watched, x.GasSetting = burnt, "FLORIN_EVM_GAS_KEY"
		if cfg.EVMGas != nil {
			x.Gas = cfg.EVMGas.Wallet()
		}
	} else {
		x.GasSetting = "FLORIN_SOL_GAS_KEY"
		if cfg.SolGas != nil {
			x.Gas = cfg.SolGas.Wallet()
		}
	}
	var err error
	if x.Watched, err = chain.ParseAddress(n.Profile.Network, watched); err != nil {
		return x, err
	}
	all, err := openReader(cfg, n)
	if err != nil {
		return x, err
	}
	x.All = all
	for _, address := range n.Endpoints() {
		one := n
		one.RPC = []secret.Text{address}
		reader, err := openReader(cfg, one)
		if err != nil {
			return x, err
		}
		x.Endpoints = append(x.Endpoints, doctor.Endpoint{Reader: reader, Address: address})
	}
	return x, nil
}
