package main_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

// order is a payment of the drill.
type order struct {
	txnid, network, token, address string
	cents                          int64
}

// drillNetwork is one of the four networks of the drill.
type drillNetwork struct {
	name, settlement string
	pay              func(t *testing.T, token, to string, cents int64) (tx string)
	cents            func(t *testing.T, token, of string) int64
}

// drill is a shop whose disk is lost after a backup.
type drill struct {
	*shop
	networks []drillNetwork
	orders   []order
	sums     map[string]int64 // what was paid, by network and token
	report   string           // of the restore

	backUp, restore func(*testing.T, *drill)
}

// openDrill starts a shop on four networks.
func openDrill(t *testing.T, chains []testChain, sol *solanaNetwork, env ...string) *drill {
	t.Helper()
	d := &drill{
		shop: openShopOn(t, chains, slices.Concat(settling, sol.environ(), env)...), sums: make(map[string]int64),
	}
	for _, c := range d.chains {
		d.networks = append(d.networks, drillNetwork{
			c.name, settlementWallet,
			func(t *testing.T, token, to string, cents int64) string {
				t.Helper()
				return c.pay(t, c.token(token), to, cents)
			},
			func(t *testing.T, token, of string) int64 { t.Helper(); return c.balance(t, c.token(token), of) },
		})
	}
	d.networks = append(d.networks, drillNetwork{
		"SOL", solanaWallet,
		func(t *testing.T, token, to string, cents int64) string {
			t.Helper()
			return sol.pay(t, sol.asset(token).Contract, to, cents)
		},
		func(t *testing.T, token, of string) int64 {
			t.Helper()
			return sol.centsOf(t, sol.asset(token), chain.Address(of))
		},
	})
	return d
}

func (d *drill) network(name string) drillNetwork {
	return d.networks[slices.IndexFunc(d.networks, func(n drillNetwork) bool { return n.name == name })]
}

// open starts a number of payments, one network after the other.
func (d *drill) open(t *testing.T, n int) []order {
	t.Helper()
	var list []order
	for range n {
		i := len(d.orders)
		o := order{network: d.networks[i%4].name, token: []string{"USDT", "USDC"}[i/4%2], cents: int64(500 + 7*i)}
		o.txnid, o.address = d.start(t, o.network, o.token, o.cents)
		d.orders = append(d.orders, o)
		list = append(list, o)
	}
	return list
}

// create creates a payment that is not started.
func (d *drill) create(t *testing.T, n drillNetwork, cents int64) order {
	t.Helper()
	status, made := d.post(t, "/create-payment", fmt.Sprintf(`{"apiKey":%q,"amount":%d}`, d.key, cents/100))
	if status != http.StatusOK {
		t.Fatalf("create: %d %v", status, made)
	}
	txnid, _ := made["transaction"].(map[string]any)["txnid"].(string)
	return order{txnid: txnid, network: n.name, token: "USDT", cents: cents}
}

// startAgain starts a payment once its network is offered, and returns the address that the payer is shown.
func (d *drill) startAgain(t *testing.T, o order) (address string) {
	t.Helper()
	eventually(t, "the start of "+o.txnid, func() bool {
		status, started := d.post(t, "/pay", fmt.Sprintf(`{"txnid":%q,"network":%q,"token":%q}`, o.txnid, o.network, o.token))
		if status == http.StatusOK {
			address, _ = started["transaction"].(map[string]any)["wallet"].(map[string]any)["address"].(string)
		}
		return address != ""
	})
	return address
}

func (d *drill) pay(t *testing.T, list []order) {
	t.Helper()
	for _, o := range list {
		d.network(o.network).pay(t, o.token, o.address, o.cents)
		d.sums[o.network+" "+o.token] += o.cents
	}
}

// TestRestore_Drill: the disk is lost under load on four networks, and the backup is of the middle of it. Every order
// is completed once, also those that were paid, swept and notified in the time that is lost, or the report of the
// restore names it with the command that brings its money home; and every cent is at the merchant.
func TestRestore_Drill(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "backup.age")
		key, recipient := keyOfAge(t)
		d := openDrill(t, startChains(t), startSolana(t))
		d.backUp = func(t *testing.T, d *drill) { t.Helper(); d.must(t, "", "backup", file, "--recipient", recipient) }
		d.restore = func(t *testing.T, d *drill) {
			t.Helper()
			d.report = d.must(t, "", "restore", "--force", file, "--identity", key)
		}
		d.run(t)
		t.Run("NothingIsLeftOfTheDisk", func(t *testing.T) {
			out := d.bare(t).must(t, "", "restore", file, "--identity", key)
			if !strings.Contains(out, "cannot be listed") || !strings.Contains(out, d.orders[len(d.orders)-1].txnid) {
				t.Errorf("without the database as it was, restore prints %q", out)
			}
		})
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		file, first, next := filepath.Join(t.TempDir(), "backup.dump"), postgres.URL(t), postgres.URL(t)
		const setting = "FLORIN_DATABASE_URL="
		d := openDrill(t, startChains(t), startSolana(t), setting+first)
		d.backUp = func(t *testing.T, _ *drill) { t.Helper(); runPostgres(t, "pg_dump", "-Fc", "-f", file, first) }
		d.restore = func(t *testing.T, d *drill) {
			t.Helper()
			runPostgres(t, "pg_restore", "--exit-on-error", "-d", next, file)
			d.env = append(d.env, setting+next)
			d.installation.refuses(t, 1, []string{"serve"}, "served elsewhere", "florin restore --adopt")
			d.report = d.must(t, "", "restore", "--adopt", "--before", first)
		}
		d.run(t)
	})
}

// runPostgres runs a program of PostgreSQL's client, of the version that the tests' server has.
func runPostgres(t *testing.T, program string, args ...string) {
	t.Helper()
	path, err := postgres.Program(program)
	testkit.Must(t, err)
	if out, err := exec.CommandContext(t.Context(), path, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", program, err, out)
	}
}

// run goes through the drill.
func (d *drill) run(t *testing.T) {
	t.Helper()
	d.fundGas(t)
	settled := d.open(t, 8)
	d.pay(t, settled)
	for _, o := range settled {
		d.await(t, o.txnid, "COMPLETED")
	}
	open := d.open(t, 16)
	unstarted := d.create(t, d.networks[0], 900)
	during := d.backUpUnderLoad(t, open[:8])
	d.pay(t, open[8:12])
	lost := d.open(t, 8)
	d.pay(t, lost)
	for _, o := range slices.Concat(open[:12], during, lost) {
		d.await(t, o.txnid, "COMPLETED")
	}
	d.awaitSweep(t, lost[0])
	d.awaitSweep(t, lost[3])
	unstarted.address = d.startAgain(t, unstarted)
	d.pay(t, []order{unstarted})
	d.await(t, unstarted.txnid, "COMPLETED")
	d.stop(t, syscall.SIGKILL)
	d.pay(t, open[12:])

	began := time.Now()
	d.restore(t, d)
	d.server = d.serve(t)
	for _, o := range append(settled, open...) {
		d.await(t, o.txnid, "COMPLETED")
		d.awaitWebhook(t, o.txnid, "completed")
	}
	measured(t, "restored, and every order that the backup knows is completed and reported", time.Since(began), 2*patience)
	t.Run("StartedInTheLostTime", func(t *testing.T) {
		if d.commandFor(unstarted) == nil {
			t.Errorf("the report does not name %s, which was started since: %s", unstarted.txnid, d.report)
		}
		if got := d.startAgain(t, unstarted); got != unstarted.address {
			t.Errorf("%s was shown %s, and now %s", unstarted.txnid, unstarted.address, got)
		}
		d.await(t, unstarted.txnid, "COMPLETED")
	})
	t.Run("EveryOtherOrderIsNamed", func(t *testing.T) {
		unknown := 0
		for _, o := range slices.Concat(during, lost) {
			unknown += d.completedOrRecovered(t, o)
		}
		if unknown < len(lost) {
			t.Errorf("%d orders of the lost time are unknown, want %d or more", unknown, len(lost))
		}
	})
	t.Run("EveryCentIsAtTheMerchant", func(t *testing.T) { d.wantSettled(t) })
	t.Run("NoEventIdHasTwoMeanings", func(t *testing.T) { d.wantDistinct(t) })
	t.Run("LostWebhooksHaveNewIds", func(t *testing.T) { d.wantReplayed(t, open[8:12]) })
	for _, n := range d.networks {
		d.awaitSwept(t, n.name)
	}
	d.stop(t, syscall.SIGTERM)
	d.prints(t, "no differences", "verify-ledger")
	if r := d.installation.run(t, "", "reconcile", "--wait", "100ms"); r.status != 0 {
		t.Errorf("reconcile: %s%s", r.stdout, r.stderr)
	}
	d.orders = append(d.orders, unstarted)
}

// backUpUnderLoad makes the backup while the orders are paid and others are created, started and paid, which it
// returns.
func (d *drill) backUpUnderLoad(t *testing.T, paid []order) (during []order) {
	t.Helper()
	d.pay(t, paid[:len(paid)/2]) // on their way when the backup is made
	made := make(chan struct{})
	go func() {
		defer close(made)
		d.backUp(t, d)
	}()
	d.pay(t, paid[len(paid)/2:])
	const least, most = 4, 40
	for running := true; running && len(during) < most || len(during) < least; {
		o := d.open(t, 1)
		d.pay(t, o)
		during = append(during, o...)
		select {
		case <-made:
			running = false
		default:
		}
	}
	<-made
	return during
}

// commandFor returns the command by which the report says that an order's money comes home.
func (d *drill) commandFor(o order) []string {
	for line := range strings.Lines(d.report) {
		command, about, _ := strings.Cut(line, "#")
		if words := strings.Fields(command); slices.Contains(words, o.txnid) &&
			strings.Contains(about, "shop@example.com") {
			return words
		}
	}
	return nil
}

// completedOrRecovered checks that an order is completed; one that is unknown since the restore must be named in the
// report, whose command is run. It returns how many orders are unknown: 0 or 1.
func (d *drill) completedOrRecovered(t *testing.T, o order) int {
	t.Helper()
	command := d.commandFor(o)
	if code, _ := d.do(t, http.MethodGet, "/orders/"+o.txnid, ""); code == http.StatusOK {
		if d.status(t, o.txnid)["status"] == "PENDING" { // the backup came between its creation and its start
			if command == nil {
				t.Errorf("the report does not name %s, which was started since: %s", o.txnid, d.report)
			}
			d.startAgain(t, o)
		}
		d.await(t, o.txnid, "COMPLETED")
		return 0
	}
	if len(command) == 0 || command[0] != "florin" || !slices.Contains(command, d.network(o.network).settlement) {
		t.Fatalf("%s is unknown, and the report names %q for it: %s", o.txnid, command, d.report)
	}
	d.must(t, "", command[1:]...)
	return 1
}

// awaitSweep waits until the money of an order has left its address.
func (d *drill) awaitSweep(t *testing.T, o order) {
	t.Helper()
	eventually(t, "the sweep of "+o.txnid, func() bool {
		return d.network(o.network).cents(t, o.token, o.address) == 0
	})
}

func (d *drill) wantSettled(t *testing.T) {
	t.Helper()
	for _, n := range d.networks {
		for _, token := range []string{"USDT", "USDC"} {
			want := d.sums[n.name+" "+token]
			eventually(t, token+" on "+n.name, func() bool { return n.cents(t, token, n.settlement) >= want })
			if got := n.cents(t, token, n.settlement); got != want {
				t.Errorf("the merchant has %d cents of %s on %s, want %d", got, token, n.name, want)
			}
		}
	}
}

// wantReplayed: webhooks of the lost time were sent again under new ids, marked.
func (d *drill) wantReplayed(t *testing.T, list []order) {
	t.Helper()
	for _, o := range list {
		sent := d.about(o.txnid)
		first, last := sent[0], sent[len(sent)-1]
		if len(sent) != 2 || first.id == last.id || first.header.Get("Webhook-Replayed") != "" ||
			last.header.Get("Webhook-Replayed") != "true" {
			t.Errorf("%s: %d webhooks, the first %s, the last %s with %v", o.txnid, len(sent), first.id, last.id, last.header)
		}
	}
}

// wantDistinct: a receiver that drops what it has seen by its id loses nothing, and can tell what is sent again.
func (d *drill) wantDistinct(t *testing.T) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	first, replayed := map[string]arrival{}, 0
	for _, a := range d.arrivals {
		if a.header.Get("Webhook-Replayed") == "true" {
			replayed++
		}
		if before, ok := first[a.id]; ok && !bytes.Equal(before.raw, a.raw) {
			t.Errorf("%s was sent as\n%s\nand as\n%s", a.id, before.raw, a.raw)
		}
		first[a.id] = a
	}
	if replayed == 0 {
		t.Error("no webhook is marked as replayed")
	}
}
