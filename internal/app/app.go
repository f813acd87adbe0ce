// Package app builds the whole program from a checked configuration, runs it
// and stops it in order.
//
// Its one invariant: there are no rules here. It connects ports to their
// implementations, starts the loops, and on shutdown first stops accepting
// work, then stops the loops, and closes the database last.
package app

import (
	"cmp"
	"context"
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"time"

	"github.com/oklog/ulid/v2"
	"golang.org/x/sync/errgroup"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/trace"

	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/passkey"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/recharge"
	"github.com/florinpay/florin/internal/refund"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/webhook"
	"github.com/florinpay/florin/web"
)

// App is the program, built but not running.
type App struct {
	Config    config.Config
	Store     *store.Store
	Users     *identity.Service
	Merchants *merchant.Service
	Payments  *payment.Service
	// Refunds are what merchants pay back.
	Refunds *refund.Service
	// Campaigns serves donation campaigns and payment links.
	Campaigns *campaign.Service

	holder string // of leases: this instance

	clock    *clock
	marks    marks
	disk     diskWatch
	loops    loops
	networks networks
	expirer  *watch.Expirer
	presence *watch.Presence
	calls    *chain.Meter
	rates    *exchange.Service
	recharge *recharge.Service
	deliver  *webhook.Deliverer
	outbox   *webhook.Deliverer // of mails
	writer   *mail.Writer       // nil: no mail is sent
	// send passes a mail on at once, without the outbox.
	send    func(context.Context, mail.Mail) error
	applier *merchant.Applier
	checker *ledger.Checker
	alerts  *alert.Monitor
	// certificates are those that callbacks have shown.
	certificates *alert.Certificates
	server       *web.Server
	given        net.Listener // by Options
	listener     net.Listener
	monitor      *monitor      // nil: no metrics
	trace        *trace.Tracer // nil: no traces
	debug        *side         // nil: no profiles
	log          *slog.Logger
}

// Options are settings that do not come from the environment.
type Options struct {
	Version string
	Log     *slog.Logger
	// Trace exports what happens to payments. Run closes it; nil: no traces.
	Trace *trace.Tracer
	// Sandbox serves the pages below /sandbox; nil in production.
	Sandbox http.Handler
	// SandboxKey returns the API key of the sandbox's demo merchant; nil in production.
	SandboxKey func() string
	// SandboxMail gets the mails of the sandbox, which has no mail server; nil in production.
	SandboxMail func(mail.Mail)
	// Listener is served on if it is not nil, instead of the configured address. Close leaves it open.
	Listener net.Listener
}

// Now is the machine's clock, for commands: UTC, to the microsecond, which both databases
// keep. A server has a clock of its own.
func Now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// New opens and migrates the database and builds everything on it. It waits for
// no network: a chain is offered once it can be reached.
func New(ctx context.Context, cfg config.Config, o Options) (*App, error) {
	sealer, err := cfg.Sealer()
	if err != nil {
		return nil, err
	}
	st, err := store.Open(ctx, cfg.DatabaseURL.Reveal(), sealer, store.Options{Log: o.Log, Serve: true})
	if err != nil {
		return nil, err
	}
	a := &App{Config: cfg, Store: st, log: o.Log, loops: loops{log: o.Log}, given: o.Listener, trace: o.Trace}
	if err := a.build(ctx, o, sealer); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return a, nil
}

func (a *App) build(ctx context.Context, o Options, sealer *secret.Sealer) error {
	if err := a.Store.Migrate(ctx); err != nil {
		return err
	}
	began, err := a.Store.Clock(ctx)
	if err != nil {
		return err
	}
	a.clock = newClock(began, sinceBoot)
	if err := a.checkMark(ctx); err != nil {
		return err
	}
	if a.writer = Writer(a.Config); a.writer == nil && o.Sandbox != nil {
		a.writer = &mail.Writer{BaseURL: a.Config.BaseURL, NewID: func() string { return newULID(Now()) }}
	}
	a.openAccounts(sealer)
	a.certificates = alert.NewCertificates()
	holder := newULID(a.clock.Now())
	a.holder = holder
	if a.Config.MetricsListen != "" {
		a.monitor = newMonitor(a.Config.MetricsListen, o.Version, a.log)
	}
	a.debug = newDebug(a.Config.DebugListen, a.log)
	a.monitor.count(a.Store)
	a.Store.OnStored(a.trace.Stored)
	a.Store.OnStored(a.logPayment)
	a.calls = chain.NewMeter(a.Store, a.clock.Now, a.log)
	if err := a.calls.Flush(ctx); err != nil { // what is spent of the day's budget sets the pace from the first moment
		return err
	}
	if a.networks, err = openNetworks(
		a.Config, a.Store, a.monitor.countSweeps(a.Store.Settlement()), holder, a.clock.Now, a.monitor.read,
		a.calls, a.log,
	); err != nil {
		return err
	}
	if a.outbox, err = a.newOutbox(o, holder); err != nil {
		return err
	}
	a.rates = newRates(a.Config, a.networks, a.Store.Rates(sourcesOf(a.Config, a.networks)), a.clock.Now)
	a.Payments = payment.NewService(a.Store, a.Store.Merchant(), a.networks, payment.Options{
		MaxWaiting: payment.MaxWaiting, MaxWaitingOfKey: payment.MaxWaitingOfKey, Meter: a.Config.Credits,
		TTL: a.Config.PaymentTTL, StartTTL: a.Config.StartTTL,
		MinAmount: a.Config.MinAmount, MaxAmount: a.Config.MaxAmount,
		Refused: a.refused, Crowded: a.crowded, Looked: a.looked, Rates: a.rates.Rate, Currencies: a.rates.Listed(),
	}, a.clock.Now, func(t time.Time) payment.ID { return payment.ID(newULID(t)) })
	a.Merchants.CompleteBy(a.Payments.CompleteWaiting)
	a.Refunds = a.refunds(sealer)
	a.Campaigns = campaign.NewService(a.Store, a.Payments, a.clock.Now, a.writer)
	a.expirer = watch.NewExpirer(a.Config.Profiles(), a.networks.readers(), a.Store, a.Store.Settlement(), a.clock.Now,
		a.log)
	a.expirer.Lists = a.networks.listsByNetwork()
	a.deliver = webhook.NewDeliverer(webhook.Config{
		Store:  a.monitor.countWebhooks(a.Store),
		Send:   a.trace.Webhooks(a.monitor.webhooks(a.sender().Send)),
		Holder: holder, Now: a.clock.Now, Jitter: rand.Float64, Log: a.log,
		Turned: a.loops.watch("webhooks", deliverBound),
	})
	a.recharge = a.recharges()
	a.applier = merchant.NewApplier(a.Merchants, a.Store.Lease, holder, a.log)
	a.checker = ledger.NewChecker(a.Store, a.clock.Now, a.log)
	a.alerts = a.newAlerts(holder)
	a.server = a.newServer(o, sealer)
	a.server.ReportAlerts(a.alerts.Current)
	a.server.ReportLoops(a.loops.ages)
	a.monitor.observe(a)
	a.presence = watch.NewPresence(a.Store, a.networks.watchers(), a.clock.Now)
	a.Store.OnChange(func(id payment.ID) {
		a.marks.changed.Store(true)
		a.server.Changed(id)
		a.deliver.Wake()
		a.networks.wake()
	})
	return nil
}

// warnOfNew says that the database is new, which a disk that is not mounted makes it look like.
func (a *App) warnOfNew(ctx context.Context) {
	if is, err := a.Store.New(ctx); err == nil && is {
		a.log.Warn("no user is in the database: a new shop begins in it. If there was one before, stop this server, and see " +
			"whether its disk is mounted and FLORIN_DATABASE_URL names it")
	}
}

// openAccounts makes the services of users and merchants.
func (a *App) openAccounts(sealer *secret.Sealer) {
	users := identity.Options{
		VerifyEmail: !a.Config.SMTPURL.Empty(), Mail: a.writer,
		Words: identity.HostWords(a.Config.BaseURL), SessionKey: sealer.Derive("session renewal v1"),
	}
	if party, ok := passkey.New(a.Config.BaseURL); ok {
		users.RelyingParty = party
	}
	a.Users = identity.New(a.Store.Identity(), a.clock.Now, users)
	a.Merchants = merchant.New(a.Store.Merchant(), a.Users, a.clock.Now, merchant.Options{
		CheckCallback: func(u string) error {
			if err := webhook.CheckURL(u, a.Config.AllowPrivateCallbacks); err != nil {
				return err
			}
			return webhook.Hosts(a.Config.CallbackHosts).Check(u)
		},
		CheckWallet: func(ctx context.Context, n chain.Network, w chain.Address) error {
			if a.server != nil { // commands have none
				if err := a.server.CountCheck(ctx); err != nil {
					return err
				}
			}
			return a.networks.checkWallet(chain.AsStranger(ctx), n, w)
		},
		WalletCode: func(ctx context.Context, n chain.Network, at chain.Address) (string, bool) {
			return a.networks.walletCode(chain.AsStranger(ctx), n, at)
		},
		Profiles: a.Config.Profiles(),
		Meter:    a.Config.Credits,
		Mail:     a.writer, BaseURL: a.Config.BaseURL,
	})
}

// refused mails the owners of a key that a sale was refused for credits.
func (a *App) refused(ctx context.Context, keyID int64) {
	if err := a.Merchants.SaleRefused(context.WithoutCancel(ctx), keyID); err != nil {
		a.log.Warn("owners are not mailed that a sale was refused for credits", "error", err)
	}
}

// crowded mails the owners of a key that strangers open more payments than it has room for.
func (a *App) crowded(ctx context.Context, keyID int64) {
	if err := a.Merchants.Crowded(context.WithoutCancel(ctx), keyID); err != nil {
		a.log.Warn("owners are not mailed that strangers open many payments", "error", err)
	}
}

// looked passes on that a payer looks at a payment.
func (a *App) looked(p payment.Payment) {
	if a.presence != nil { // pages are served after everything is built
		a.presence.Look(p)
	}
}

// Listen listens on the configured address, so that the address can be printed
// before Run is called. Run calls it if it was not called before.
func (a *App) Listen(ctx context.Context) (net.Addr, error) {
	a.listener = a.given
	if a.listener == nil {
		var lc net.ListenConfig
		l, err := lc.Listen(ctx, "tcp", a.Config.Listen)
		if err != nil {
			return nil, fmt.Errorf("listen on FLORIN_LISTEN=%s: %w", a.Config.Listen, err)
		}
		a.listener = l
	}
	return a.listener.Addr(), cmp.Or(a.monitor.listen(ctx), a.debug.listen(ctx))
}

// Run serves and runs the loops until ctx ends, then drains, stops in order and closes
// the database. It returns nil after an ordered shutdown.
func (a *App) Run(ctx context.Context) error {
	if a.listener == nil {
		if _, err := a.Listen(ctx); err != nil {
			return errors.Join(err, a.Store.Close())
		}
	}
	a.warnOfNew(ctx)
	a.reportProxy()
	if len(a.Config.Networks) == 0 {
		a.log.Warn(payment.NothingSold(0))
	}
	err := a.run(ctx)
	a.networks.close()
	a.closeTrace(ctx)
	return errors.Join(err, a.Store.Close())
}

func (a *App) run(ctx context.Context) error {
	if err := a.Store.Join(ctx, a.holder, a.clock.Now()); err != nil {
		return err
	}
	if err := a.Store.Meet(ctx, a.holder, a.clock.Now()); err != nil {
		return err
	}
	if err := a.recharge.WarnUntracked(ctx); err != nil {
		a.log.Warn("open recharges could not be counted", "error", err)
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx)) // the loops end after the requests
	defer stop()
	all, working := errgroup.WithContext(running)
	delivering, stopDelivering := context.WithCancel(working)
	defer stopDelivering()
	delivered := make(chan struct{})
	for _, run := range a.runners() {
		all.Go(func() error { return run(working) })
	}
	all.Go(func() error {
		defer close(delivered)
		outboxes := new(errgroup.Group)
		outboxes.Go(func() error { return a.deliver.Run(delivering) })
		outboxes.Go(func() error { return a.outbox.Run(delivering) })
		return outboxes.Wait()
	})
	all.Go(func() error {
		if err := a.server.Serve(a.listener); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	all.Go(func() error {
		defer stop()
		a.drain(ctx, working, stopDelivering, delivered)
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestsWithin)
		defer cancel()
		return a.server.Shutdown(end)
	})
	if err := all.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// runners are all loops, which end when the requests and the outboxes have.
func (a *App) runners() []func(context.Context) error {
	list := []func(context.Context) error{
		a.monitor.run, a.debug.run,
		func(ctx context.Context) error {
			return a.Store.Listen(ctx, a.loops.watch("notifications", listenBound))
		},
	}
	for _, l := range a.repeated() {
		list = append(list, func(ctx context.Context) error { return a.loops.run(ctx, l) })
	}
	for _, n := range a.networks.inOrder() {
		if list = append(list, n.watcher.Run); n.feed != nil {
			list = append(list, n.feed.Run)
		}
	}
	return list
}

// Close closes an App that was built and never run.
func (a *App) Close() error {
	if a.listener != nil {
		_ = a.listener.Close()
	}
	a.monitor.close()
	a.debug.close()
	return a.Store.Close()
}

// newULID returns a ULID: 48 bits of time and 80 random bits from the system's
// cryptographic source. It is not monotonic: the next one must not be guessable.
func newULID(t time.Time) string {
	return ulid.MustNew(ulid.Timestamp(t), cryptorand.Reader).String()
}
