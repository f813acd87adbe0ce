package devchain_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/testkit"
)

// chainInProcess names the directory of the chain that a copy of the test
// program runs until it is killed.
const chainInProcess = "DEVCHAIN_TEST_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(chainInProcess); dir != "" {
		if err := payForEver(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// payForEver mints one unit a block and prints each head and what was minted
// until then, until its standard input ends.
func payForEver(dir string) error {
	chain, err := devchain.Start(devchain.Config{ChainID: 56, DataDir: dir})
	if err != nil {
		return err
	}
	ctx := context.Background()
	if err := chain.Setup(ctx); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(2) // the test is gone
	}()
	for minted := 1; ; minted++ {
		if _, err := chain.Mint(ctx, chain.Tokens().USDT.Address, deposit, big.NewInt(1)); err != nil {
			return err
		}
		fmt.Println(chain.Commit(), minted)
	}
}

// TestStart_AfterKill: everything committed before the process was killed exists afterwards.
func TestStart_AfterKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, os.Args[0])
	command.Env = append(os.Environ(), chainInProcess+"="+dir)
	command.Stderr = os.Stderr
	stdin, err := command.StdinPipe()
	testkit.Must(t, err)
	defer stdin.Close()
	stdout, err := command.StdoutPipe()
	testkit.Must(t, err)
	testkit.Must(t, command.Start())
	var head string
	var minted int64
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if _, err := fmt.Sscan(lines.Text(), &head, &minted); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		if minted == 100 {
			testkit.Must(t, command.Process.Kill())
		} // what is in the pipe counts too: it was committed
	}
	if err := command.Wait(); err == nil || minted < 100 {
		t.Fatalf("stopped by itself after %d", minted)
	}

	chain := start(t, devchain.Config{ChainID: 56, DataDir: dir})
	header, err := chain.Client().HeaderByHash(chain.ctx, common.HexToHash(head))
	if err != nil {
		t.Fatalf("block %s of %d mints is lost: %v", head, minted, err)
	}
	latest := chain.number(rpc.LatestBlockNumber)
	if extra := latest - header.Number.Uint64(); extra > 1 { // one may have been committed but not printed
		t.Errorf("head %d, want %s or one more", latest, header.Number)
	} else {
		chain.wantBalance(chain.Tokens().USDT.Address, deposit, minted+int64(extra))
	}
	chain.included(chain.Mint(chain.ctx, chain.Tokens().USDT.Address, deposit, big.NewInt(1)))
}

// TestStart_Again continues where a closed chain stopped: head, labels, balances, transactions; and Setup
// finds everything deployed.
func TestStart_Again(t *testing.T) {
	t.Parallel()
	config := devchain.Config{ChainID: 137, DataDir: t.TempDir(), FinalDepth: 4, SafeDepth: 1}
	first := start(t, config)
	usdt := first.Tokens().USDT.Address
	receipt := first.included(first.Mint(first.ctx, usdt, deposit, big.NewInt(42)))
	first.Mine(10)
	head := first.number(rpc.LatestBlockNumber)

	t.Run("InUse", func(t *testing.T) {
		if second, err := devchain.Start(config); err == nil {
			t.Error("two chains in one directory")
			_ = second.Close()
		}
	})
	testkit.Must(t, first.Close())
	t.Run("OtherChain", func(t *testing.T) {
		other := config
		other.ChainID = 56
		if second, err := devchain.Start(other); err == nil {
			t.Error("chain 56 went on in the directory of chain 137")
			_ = second.Close()
		} else if !strings.Contains(err.Error(), config.DataDir) {
			t.Errorf("error does not say which directory: %v", err)
		}
	})

	second := start(t, config)
	if got := second.number(rpc.LatestBlockNumber); got != head {
		t.Errorf("head %d, want %d", got, head)
	}
	if got := second.number(rpc.FinalizedBlockNumber); got != head-4 {
		t.Errorf("finalized %d, want %d", got, head-4)
	}
	if got := second.number(rpc.SafeBlockNumber); got != head-1 {
		t.Errorf("safe %d, want %d", got, head-1)
	}
	second.wantBalance(usdt, deposit, 42)
	if again, err := second.WaitReceipt(second.ctx, receipt.TxHash); err != nil ||
		again.BlockHash != receipt.BlockHash {
		t.Errorf("receipt %+v (%v)", again, err)
	}
	if logs := second.transfers(usdt); len(logs) != 1 {
		t.Errorf("%d logs, want 1", len(logs))
	}
	second.included(second.Mint(second.ctx, usdt, deposit, big.NewInt(1)))
	second.wantBalance(usdt, deposit, 43)
	if got := second.number(rpc.FinalizedBlockNumber); got != head-3 {
		t.Errorf("finalized %d, want %d", got, head-3)
	}
}

// TestStart_Stored: a fork is stored, too, and what a killed process had begun to write is not read.
func TestStart_Stored(t *testing.T) {
	t.Parallel()
	config := devchain.Config{ChainID: 137, DataDir: t.TempDir()}
	first := start(t, config)
	usdt := first.Tokens().USDT.Address
	parent := first.Commit()
	gone := first.included(first.Mint(first.ctx, usdt, deposit, big.NewInt(42)))
	testkit.Must(t, errors.Join(first.Fork(parent), first.Close()))
	file, err := os.OpenFile(filepath.Join(config.DataDir, "blocks"), os.O_APPEND|os.O_WRONLY, 0)
	testkit.Must(t, err)
	if _, err := file.Write([]byte{0xf8, 0x50, 0x03}); err != nil { // a list of 80 bytes, two of which are missing
		t.Fatal(err)
	}
	testkit.Must(t, file.Close())
	var head common.Hash
	for range 2 {
		again := start(t, config)
		if head == (common.Hash{}) {
			head = parent
		}
		header, err := again.Client().HeaderByNumber(again.ctx, nil)
		if err != nil || header.Hash() != head {
			t.Errorf("head %v (%v), want %s", header, err, head)
		}
		again.wantGone(gone.TxHash)
		again.wantBalance(usdt, deposit, 0)
		head = again.Mine(2) // after the torn entry, which the next start would otherwise stumble over
		testkit.Must(t, again.Close())
	}
}

// TestStart_Foreign: a directory with other files than a chain's, or with another chain's blocks, is left alone.
func TestStart_Foreign(t *testing.T) {
	t.Parallel()
	config := devchain.Config{ChainID: 137, DataDir: t.TempDir()}
	testkit.Must(t, os.Mkdir(filepath.Join(config.DataDir, "chaindata"), 0o700))
	if chain, err := devchain.Start(config); err == nil {
		t.Error("a chain in a directory with other files")
		_ = chain.Close()
	}
	changed := devchain.Config{ChainID: 137, DataDir: t.TempDir()}
	first := start(t, changed)
	first.included(first.Mint(first.ctx, first.Tokens().USDT.Address, deposit, big.NewInt(42)))
	testkit.Must(t, first.Close())
	path := filepath.Join(changed.DataDir, "blocks")
	stored := testkit.ReadFile(t, path)
	stored[len(stored)-1] ^= 1 // in a signature
	testkit.Must(t, os.WriteFile(path, stored, 0o600))
	if chain, err := devchain.Start(changed); err == nil {
		t.Error("blocks that are not what was stored")
		_ = chain.Close()
	}
}
