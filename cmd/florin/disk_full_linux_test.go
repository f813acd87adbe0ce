package main_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

// TestServe_DiskFull fills the disk of the database under a running server. New payments answer 503 then, and what is
// stored can be read; once there is room again they are taken, without a restart, and nothing is missing.
func TestServe_DiskFull(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		disk := smallDisk(t, t.TempDir(), 8<<20)
		checkDiskFull(t, disk, "sqlite://"+filepath.Join(disk, "florin.db"))
	})
	t.Run("PostgreSQL", func(t *testing.T) { // SQLSTATE 53100: its tables cannot grow
		t.Parallel()
		disk, database := onTablespace(t, 48<<20)
		checkDiskFull(t, disk, database)
	})
}

// onTablespace makes a PostgreSQL database whose tables are on a disk of their own, beside the server's data. It
// returns the disk and the database's URL.
func onTablespace(t *testing.T, bytes int) (disk, database string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	// A server of its own: while a disk is full, checkpoints fail for every database of a server.
	server, _ := postgres.Restartable(t)
	place, err := url.Parse(server)
	testkit.Must(t, err)
	admin, err := pgx.Connect(ctx, place.String())
	testkit.Must(t, err)
	t.Cleanup(func() { _ = admin.Close(ctx) })
	var data string
	testkit.Must(t, admin.QueryRow(ctx, "SHOW data_directory").Scan(&data))
	info, err := os.Stat(data)
	testkit.Must(t, err)
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		t.Fatal("the owner of the server's data is unknown")
	}
	name := "disk_full_" + strconv.FormatInt(time.Now().UnixNano(), 36)
	disk = filepath.Join(filepath.Dir(data), name)
	testkit.Must(t, os.Mkdir(disk, 0o700))
	t.Cleanup(func() { _ = os.Remove(disk) })
	smallDisk(t, disk, bytes)
	testkit.Must(t, os.Chown(disk, int(owner.Uid), int(owner.Gid)))
	for _, statement := range []string{
		fmt.Sprintf("CREATE TABLESPACE %s LOCATION '%s'", name, disk),
		fmt.Sprintf("CREATE DATABASE %s TABLESPACE %[1]s", name),
	} {
		_, err = admin.Exec(ctx, statement)
		testkit.Must(t, err)
	}
	t.Cleanup(func() {
		for _, what := range []string{"DATABASE " + name + " WITH (FORCE)", "TABLESPACE " + name} {
			_, err := admin.Exec(ctx, "DROP "+what)
			testkit.Must(t, err)
		}
	})
	place.Path = "/" + name
	return disk, place.String()
}

func checkDiskFull(t *testing.T, disk, database string) {
	t.Helper()
	s, metrics := &shop{receiver: newReceiver(t)}, freeAddress(t)
	s.open(t, []string{
		"FLORIN_METRICS_LISTEN=" + metrics,
		"FLORIN_ALLOW_PRIVATE_CALLBACKS=true", "FLORIN_DATABASE_URL=" + database,
		"FLORIN_RATE_CLIENT=100000", "FLORIN_RATE_CLIENT_BURST=100000", "FLORIN_RATE_KEY=100000",
		"FLORIN_RATE_KEY_BURST=100000",
	}, map[string]any{"base": settlementWallet})
	var stored []string
	create := func(key string) int {
		w := &keyedWrite{"/create-payment", fmt.Sprintf(`{"apiKey":%q,"amount":5}`, s.key), key}
		status, answer := w.send(t.Context(), s.url)
		if status == http.StatusOK {
			made, _ := answer["transaction"].(map[string]any)
			stored = append(stored, made["txnid"].(string))
		}
		return status
	}
	if status := create("before"); status != http.StatusOK {
		t.Fatalf("before: %d", status)
	}
	ballast := filepath.Join(disk, "ballast")
	fill(t, ballast)
	s.saysDisk(t, metrics, http.StatusServiceUnavailable, "the disk of the database is full") // before anybody writes
	refused := ""
	for i := 0; refused == ""; i++ {
		if i == 10_000 {
			t.Fatal("the full disk refuses nothing")
		}
		key := fmt.Sprintf("full-%d", i)
		switch status := create(key); status {
		case http.StatusOK:
		case http.StatusServiceUnavailable:
			refused = key
		default:
			t.Fatalf("a full disk answers %d", status)
		}
	}
	if status, _ := s.do(t, http.MethodGet, "/orders/"+stored[0], ""); status != http.StatusOK {
		t.Errorf("a stored payment cannot be read from a full disk: %d", status)
	}
	testkit.Must(t, os.Remove(ballast))
	room := time.Now()
	s.saysDisk(t, metrics, http.StatusOK, "")
	for end := time.Now().Add(patience); create(refused) != http.StatusOK; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("with room on the disk, the payment is still refused")
		}
	}
	measured(t, "with room on the disk, the refused payment is made", time.Since(room), patience)
	again := len(stored)
	if create(refused) != http.StatusOK || stored[again] != stored[again-1] {
		t.Errorf("the refused request made two payments: %v", stored[again-1:])
	}
	for _, id := range stored {
		if status, _ := s.do(t, http.MethodGet, "/orders/"+id, ""); status != http.StatusOK {
			t.Errorf("payment %s was acknowledged and is lost: %d", id, status)
		}
	}
	if code, log := s.stop(t, syscall.SIGTERM); code != 0 {
		t.Errorf("the server ends with %d: %s", code, log)
	}
	s.must(t, "", "verify-ledger")
}

// saysDisk waits until the probes of a balancer, GET /health and the metrics say whether there is room.
func (s *shop) saysDisk(t *testing.T, metrics string, status int, reason string) {
	t.Helper()
	began := time.Now()
	for _, path := range []string{"/readyz", "/health"} {
		eventually(t, path+" says it", func() bool {
			code, answer := s.tell(path)
			said, _ := answer["reason"].(string)
			return code == status && strings.Contains(said, reason)
		})
	}
	measured(t, fmt.Sprintf("/readyz and /health answer %d", status), time.Since(began), 15*time.Second)
	up, ok := scrape(t, metrics).value("florin_database_up")
	if !ok || (up == 1) != (status == http.StatusOK) {
		t.Errorf("the metric of the database is %g, %t", up, ok)
	}
}

// smallDisk gives the directory a file system of its own, and returns it.
func smallDisk(t *testing.T, dir string, bytes int) string {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=700", bytes)); err != nil {
		t.Skipf("a disk that can be filled needs the right to mount one: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// fill writes a file until the disk is full.
func fill(t *testing.T, path string) {
	t.Helper()
	file, err := os.Create(path)
	testkit.Must(t, err)
	defer file.Close()
	for block := make([]byte, 64<<10); ; {
		if _, err := file.Write(block); err != nil {
			if len(block) == 1 {
				return
			}
			block = make([]byte, max(len(block)/4, 1))
		}
	}
}
