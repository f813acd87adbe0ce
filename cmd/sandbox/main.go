// Command sandbox runs the production server with development chains, test money, a demo merchant and a webhook inbox.
// It needs nothing else on the machine; `make run` starts it.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/payment"
)

// version is set by the build (Makefile).
var version = "dev"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sandbox:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	flags := flag.NewFlagSet("sandbox", flag.ExitOnError)
	dir := flags.String("dir", ".sandbox", "directory that keeps chains, database and keys between runs")
	listen := flags.String("listen", cmp.Or(os.Getenv("FLORIN_LISTEN"), "127.0.0.1:8080"),
		"host:port to serve on; FLORIN_LISTEN where it is set")
	block := flags.Duration("block", time.Second, "time between blocks, whole seconds")
	verbose := flags.Bool("v", false, "log every request")
	if err := flags.Parse(args); err != nil {
		return err
	}
	level := slog.LevelWarn
	if *verbose {
		level = slog.LevelDebug
	}
	s, err := Start(ctx, Config{
		Dir: *dir, Listen: *listen, BlockTime: *block, Version: version,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})),
	})
	if err != nil {
		return err
	}
	if err := greet(ctx, s); err != nil {
		return err
	}
	return s.Run(ctx)
}

// greet prints everything that a new user needs for a first payment.
func greet(ctx context.Context, s *Sandbox) error {
	// Another order at each start: the page of one that was paid before would ask first.
	order := payment.Details{Description: "Two bags of coffee", Reference: "order-" + time.Now().Format("0102-150405")}
	in := payment.CreateInput{KeyID: s.Demo.KeyID, Amount: "49.90", Details: order}
	p, err := s.App.Payments.Create(ctx, in, audit.Act{})
	if err != nil {
		return fmt.Errorf("make a first payment: %w", err)
	}
	shown, key := s.Demo.Key, s.Demo.Key
	if key == "" {
		shown, key = "replaced: use the one that you were shown then", "YOUR_API_KEY"
	}
	fmt.Printf(`
Florin's sandbox is running. No real money moves here.

  Pay something   %[1]s/pay?txnid=%[2]s
  Give something  %[1]s/donate/%[6]s
  Payment link    %[1]s/link/%[7]s
  Sandbox page    %[1]s/sandbox        pays open payments, shows webhooks and mails
  Dashboard       %[1]s/dashboard      %[3]s, password %[4]s
  API key         %[10]s
  Webhook secret  %[9]s  signs the demo merchant's webhooks, until you rotate it

Create a payment:

  curl -s %[1]s/create-payment -H 'Content-Type: application/json' \
    -d '{"apiKey":"%[5]s","amount":12.50}'

Buy query units, at 0.05 test USDT each, with the wallet registered on the key:

  curl -s %[1]s/graphql -H 'Content-Type: application/json' \
    -d '{"query":"mutation { rechargeApiKey(apiKey: \"%[5]s\", privateKey: \"%[8]s\", unit: 20) { code message newBalance hash } }"}'

Press Ctrl-C to stop. The next start goes on where this one ends.

`, s.BaseURL, p.ID, DemoEmail, DemoPassword, key, DemoCampaign, DemoLink,
		DemoWalletKey, s.Demo.Signing, shown)
	return nil
}
