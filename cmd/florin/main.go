// Command florin runs the Florin server and the operator's commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
)

// commands lists the commands, one file each.
type commands struct {
	EnvFile string `help:"Read settings from this file as well; .env if there is one." name:"env-file" placeholder:"PATH"`

	Serve   serve        `cmd:"" help:"Serve: API, checkout, dashboard, and everything that runs beside them."`
	Migrate migrate      `cmd:"" help:"Bring the database up to date, and stop."`
	Keygen  keygen       `cmd:"" help:"Make a secret key, a gas wallet or a deposit seed."`
	Config  showConf     `cmd:"" help:"Show the effective settings, with secrets masked."`
	Doctor  checkUp      `cmd:"" help:"Check everything: settings, database, networks, mail, public address."`
	Health  health       `cmd:"" help:"Ask the server on this machine whether it is ready."`
	Deploy  deploy       `cmd:"" help:"Deploy the forwarder factory on a network."`
	User    userCommands `cmd:"" help:"Users."`
	Key     struct {
		Create keyCreate `cmd:"" help:"Make an API key for a user."`
		List   keyList   `cmd:"" help:"List API keys."`
		Revoke keyRevoke `cmd:"" help:"End an API key for ever."`
	} `cmd:"" help:"API keys."`
	Credit struct {
		Grant creditGrant `cmd:"" help:"Give an API key credits or queries."`
	} `cmd:"" help:"Credits."`
	Sweep     rescue    `cmd:"" help:"Send on a wrong token, the native coin, or money paid on another network."`
	Recover   recovery  `cmd:"" help:"Send on the money of a payment that the database does not know."`
	Rescan    rescan    `cmd:"" help:"Read a network's blocks again."`
	Reconcile reconcile `cmd:"" help:"Compare the chains with the database."`
	Secret    struct {
		Rotate secretRotate `cmd:"" help:"Seal everything with a new FLORIN_SECRET_KEY, while the server runs."`
	} `cmd:"" help:"The secret key."`
	Erase        erase        `cmd:"" help:"Forget a customer, and keep the ledger whole."`
	Backup       backUp       `cmd:"" help:"Write a backup of a SQLite database, while the server runs."`
	Restore      restore      `cmd:"" help:"Restore a backup, or take over a database that was brought back."`
	VerifyLedger verifyLedger `cmd:"" help:"Verify the ledger of credits and queries."`

	Version showVersion `cmd:"" help:"Show the version."`
}

// Exit statuses.
const (
	exitOK     = 0
	exitFailed = 1 // the command failed
	exitUsage  = 2 // the arguments are not valid
)

// process is what a command uses of the operating system.
type process struct {
	environ []string
	stdin   *os.File
	stdout  io.Writer
	stderr  io.Writer
	envFile string // as given; empty: the default
}

func main() {
	harden()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the program at once.
	context.AfterFunc(ctx, stop)
	status := run(
		ctx, os.Args[1:], process{environ: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr},
	)
	stop()
	os.Exit(status)
}

// run runs one command and returns the exit status.
func run(ctx context.Context, args []string, p process) int {
	var c commands
	helped := false
	parser, err := kong.New(&c, kong.Name("florin"), kong.Writers(p.stdout, p.stderr),
		kong.Description("Florin accepts USDT and USDC on BNB Smart Chain, Polygon, Base and Solana."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Exit(func(int) { helped = true }), // --help has been printed; kong must not end the program
		kong.BindTo(ctx, (*context.Context)(nil)))
	if err != nil {
		panic(fmt.Sprintf("the commands are declared wrong: %v", err))
	}
	command, err := parser.Parse(args)
	if helped {
		return exitOK
	}
	if err != nil {
		return complain(p, exitUsage, fmt.Sprintf("%v; try `%s --help`", err, usageOf(err)))
	}
	p.envFile = c.EnvFile
	if err := command.Run(&p); err != nil {
		return complain(p, exitFailed, explain(err))
	}
	return exitOK
}

// usageOf names the command that a usage error belongs to.
func usageOf(err error) string {
	var wrong *kong.ParseError
	if errors.As(err, &wrong) && wrong.Context != nil {
		if node := wrong.Context.Selected(); node != nil {
			return node.FullPath()
		}
	}
	return "florin"
}

func complain(p process, status int, message string) int {
	_, _ = fmt.Fprintln(p.stderr, "florin: "+strings.Join(strings.Fields(message), " "))
	return status
}

// explain returns the message for the operator.
func explain(err error) string {
	if errors.Is(err, context.Canceled) {
		return "stopped before it was done"
	}
	return err.Error()
}
