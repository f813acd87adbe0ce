package backup_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/testkit"
)

func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

// TestMark_Check: a database that is behind its mark is an older copy. One that is ahead was served until a crash, or
// its mark was restored with an older disk.
func TestMark_Check(t *testing.T) {
	t.Parallel()
	database := backup.Mark{Installation: "A", Generation: 2, Ticks: 10}
	for name, c := range map[string]struct {
		mark backup.Mark
		want error
	}{
		"Missing":          {},
		"Equal":            {mark: database},
		"Behind":           {mark: backup.Mark{Installation: "A", Generation: 2, Ticks: 9}},
		"GenerationBefore": {mark: backup.Mark{Installation: "A", Generation: 1, Ticks: 99}},
		"Ahead":            {mark: backup.Mark{Installation: "A", Generation: 2, Ticks: 11}, want: backup.ErrOlder},
		"GenerationAhead":  {mark: backup.Mark{Installation: "A", Generation: 3}, want: backup.ErrOlder},
		"OtherInstallation": {
			mark: backup.Mark{Installation: "B", Generation: 2, Ticks: 10}, want: backup.ErrForeign,
		},
		"OtherAndAhead":       {mark: backup.Mark{Installation: "B", Generation: 9, Ticks: 99}, want: backup.ErrForeign},
		"OtherAndFarBehindIt": {mark: backup.Mark{Installation: "B"}, want: backup.ErrForeign},
	} {
		if err := c.mark.Check(database); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// TestMark_Write: the file is replaced as a whole, for its owner alone; a missing one is the zero Mark, and a damaged
// one is refused.
func TestMark_Write(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.mark")
	if m, err := backup.ReadMark(path); err != nil || m != (backup.Mark{}) {
		t.Errorf("a missing mark is %+v, %v", m, err)
	}
	for ticks := range int64(3) {
		want := backup.Mark{Installation: "A", Generation: 7, Ticks: ticks}
		testkit.Must(t, want.Write(path))
		if got, err := backup.ReadMark(path); err != nil || got != want {
			t.Errorf("read %+v, %v", got, err)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	names, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(names) != 1 {
		t.Errorf("beside it lie %v, %v", names, err)
	}
	for name, text := range map[string]string{"Empty": "", "Cut": `{"installation":"A"`, "Nothing": "{}"} {
		testkit.Must(t, os.WriteFile(path, []byte(text), 0o600))
		if _, err := backup.ReadMark(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
