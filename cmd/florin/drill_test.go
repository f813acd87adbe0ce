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

	"github.com/florinpay/florin/internal/testkit/postgres"
)

// order is a payment of the drill that was paid in full.
type order struct {
	txnid, network, token, address string
	cents                          int64
}

// drill is a shop whose disk is lost after a backup.
type drill struct {
	*shop
	orders []order
	sums   map[string]int64 // what was paid, by network and token

	backUp, restore func(*testing.T, *drill)
}

// open starts a number of payments, one network after the other.
func (d *drill) open(t *testing.T, n int) []order {
	t.Helper()
	var list []order
	for i := range n {
		o := order{
			network: d.chains[i%3].name, token: []string{"USDT", "USDC"}[i/3%2], cents: int64(500 + 7*len(d.orders)),
		}
		o.txnid, o.address = d.start(t, o.network, o.token, o.cents)
		d.orders = append(d.orders, o)
		list = append(list, o)
	}
	return list
}

// create creates a payment that is not started.
func (d *drill) create(t *testing.T, cents int64) order {
	t.Helper()
	status, made := d.post(t, "/create-payment", fmt.Sprintf(`{"apiKey":%q,"amount":%d}`, d.key, cents/100))
	if status != http.StatusOK {
		t.Fatalf("create: %d %v", status, made)
	}
	txnid, _ := made["transaction"].(map[string]any)["txnid"].(string)
	return order{txnid: txnid, network: d.chains[0].name, token: "USDT", cents: cents}
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
		for _, c := range d.chains {
			if c.name == o.network {
				c.pay(t, c.token(o.token), o.address, o.cents)
				d.sums[o.network+" "+o.token] += o.cents
			}
		}
	}
}

// TestRestore_Drill: the disk is lost under load, and the backup is of the middle of it. Every order of before is
// completed once, also those that were paid, swept and notified in the time that is lost; the money of those that came
// after is found by their txnids; and every cent is at the merchant.
func TestRestore_Drill(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "backup.age")
		d := &drill{shop: openShop(t, settling...), sums: make(map[string]int64)}
		d.backUp = func(t *testing.T, d *drill) { t.Helper(); d.must(t, passphrase, "backup", file) }
		d.restore = func(t *testing.T, d *drill) { t.Helper(); d.must(t, passphrase, "restore", "--force", file) }
		d.run(t)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		file, first, next := filepath.Join(t.TempDir(), "backup.dump"), postgres.URL(t), postgres.URL(t)
		const setting = "FLORIN_DATABASE_URL="
		d := &drill{
			shop: openShop(t, append(slices.Clip(settling), setting+first)...),
			sums: make(map[string]int64),
		}
		d.backUp = func(t *testing.T, _ *drill) { t.Helper(); runPostgres(t, "pg_dump", "-Fc", "-f", file, first) }
		d.restore = func(t *testing.T, d *drill) {
			t.Helper()
			runPostgres(t, "pg_restore", "--exit-on-error", "-d", next, file)
			d.env = append(d.env, setting+next)
			eventually(t, "leases of the time of the backup", func() bool {
				return d.installation.run(t, "", "restore", "--adopt").status == 0
			})
		}
		d.run(t)
	})
}

// runPostgres runs a program of PostgreSQL's client, of the version that the tests' server has.
func runPostgres(t *testing.T, program string, args ...string) {
	t.Helper()
	path, err := postgres.Program(program)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), path, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", program, err, out)
	}
}

// run goes through the drill.
func (d *drill) run(t *testing.T) {
	t.Helper()
	d.fundGas(t)
	settled := d.open(t, 6)
	d.pay(t, settled)
	for _, o := range settled {
		d.await(t, o.txnid, "COMPLETED")
	}
	open := d.open(t, 12)
	unstarted := d.create(t, 900)
	d.pay(t, open[:3]) // on their way when the backup is made
	made := make(chan struct{})
	go func() {
		defer close(made)
		d.backUp(t, d)
	}()
	d.pay(t, open[3:6])
	<-made
	d.pay(t, open[6:9]) // open[9:] is paid when the program is down
	lost := d.open(t, 6)
	d.pay(t, lost)
	for _, o := range append(open[:9:9], lost...) {
		d.await(t, o.txnid, "COMPLETED")
	}
	d.awaitSweep(t, lost[0])
	unstarted.address = d.startAgain(t, unstarted)
	d.pay(t, []order{unstarted})
	d.await(t, unstarted.txnid, "COMPLETED")
	d.stop(t, syscall.SIGKILL)
	d.pay(t, open[9:])

	d.restore(t, d)
	d.server = d.serve(t)
	for _, o := range append(settled, open...) {
		d.await(t, o.txnid, "COMPLETED")
		d.awaitWebhook(t, o.txnid, "completed")
	}
	t.Run("StartedInTheLostTime", func(t *testing.T) {
		if got := d.startAgain(t, unstarted); got != unstarted.address {
			t.Errorf("%s was shown %s, and now %s", unstarted.txnid, unstarted.address, got)
		}
		d.await(t, unstarted.txnid, "COMPLETED")
	})
	t.Run("LostPaymentsAreUnknown", func(t *testing.T) {
		for _, o := range lost {
			if code, got := d.do(t, http.MethodGet, "/orders/"+o.txnid, ""); code != http.StatusNotFound {
				t.Errorf("%s: %d %v", o.txnid, code, got)
			}
			d.must(
				t, "", "recover", "--txnid", o.txnid, "--settlement", settlementWallet, "--network",
				strings.ToLower(o.network),
			)
		}
	})
	t.Run("EveryCentIsAtTheMerchant", func(t *testing.T) { d.wantSettled(t) })
	t.Run("NoEventIdHasTwoMeanings", func(t *testing.T) { d.wantDistinct(t) })
	t.Run("LostWebhooksHaveNewIds", func(t *testing.T) {
		for _, o := range open[6:9] {
			list := d.about(o.txnid)
			first, last := list[0], list[len(list)-1]
			if len(list) != 2 || first.id == last.id || first.header.Get("Webhook-Replayed") != "" ||
				last.header.Get("Webhook-Replayed") != "true" {
				t.Errorf("%s: %d webhooks, the first %s, the last %s with %v", o.txnid, len(list), first.id, last.id, last.header)
			}
		}
	})
	d.awaitSwept(t)
	d.stop(t, syscall.SIGTERM)
	d.prints(t, "no differences", "verify-ledger")
	if r := d.installation.run(t, "", "reconcile", "--wait", "100ms"); r.status != 0 {
		t.Errorf("reconcile: %s%s", r.stdout, r.stderr)
	}
}

// awaitSweep waits until the money of an order has left its address.
func (d *drill) awaitSweep(t *testing.T, o order) {
	t.Helper()
	for _, c := range d.chains {
		if c.name == o.network {
			eventually(t, "the sweep of "+o.txnid, func() bool {
				return c.balance(t, c.token(o.token), o.address) == 0
			})
		}
	}
}

func (d *drill) wantSettled(t *testing.T) {
	t.Helper()
	for _, c := range d.chains {
		for _, token := range []string{"USDT", "USDC"} {
			want := d.sums[c.name+" "+token]
			eventually(t, token+" on "+c.name, func() bool {
				return c.balance(t, c.token(token), settlementWallet) >= want
			})
			if got := c.balance(t, c.token(token), settlementWallet); got != want {
				t.Errorf("the merchant has %d cents of %s on %s, want %d", got, token, c.name, want)
			}
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
