package main_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"filippo.io/age"

	"github.com/florinpay/florin/internal/testkit"
)

// ageVariable makes this program do what backup.sh and restore.sh ask of the program age.
const ageVariable = "FLORIN_TEST_AGE"

// actAsAge encrypts (-r RECIPIENT -o OUT [IN]) or decrypts (-d -i KEYS [-o OUT] IN).
func actAsAge(args []string) error {
	given, files := make(map[string]string), []string(nil)
	for ; len(args) > 0; args = args[1:] {
		switch args[0] {
		case "-d":
			given["-d"] = "yes"
		case "-r", "-o", "-i":
			given[args[0]] = args[1]
			args = args[1:]
		default:
			files = append(files, args[0])
		}
	}
	in, out := io.ReadCloser(os.Stdin), io.WriteCloser(os.Stdout)
	var err error
	if len(files) > 0 {
		if in, err = os.Open(files[0]); err != nil {
			return err
		}
	}
	if given["-o"] != "" {
		if out, err = os.Create(given["-o"]); err != nil {
			return err
		}
	}
	if given["-d"] == "" {
		to, err := age.ParseX25519Recipient(given["-r"])
		if err != nil {
			return err
		}
		sealed, err := age.Encrypt(out, to)
		if err != nil {
			return err
		}
		if _, err := io.Copy(sealed, in); err != nil {
			return err
		}
		return sealed.Close()
	}
	key, err := os.ReadFile(given["-i"])
	if err != nil {
		return err
	}
	with, err := age.ParseX25519Identity(string(key))
	if err != nil {
		return err
	}
	opened, err := age.Decrypt(in, with)
	if err == nil {
		_, err = io.Copy(out, opened)
	}
	return err
}

// encrypted makes backups that only a key opens.
func (a *archive) encrypted(t *testing.T) {
	t.Helper()
	program := testkit.ReadFile(t, os.Args[0])
	testkit.Must(t, os.WriteFile(filepath.Join(a.dir, "program"), program, 0o755)) //nolint:gosec // another user runs it
	script := fmt.Sprintf("#!/bin/sh\nexec env %s=1 %s/program \"$@\"\n", ageVariable, a.dir)
	testkit.Must(t, os.WriteFile(filepath.Join(a.dir, "age"), []byte(script), 0o755)) //nolint:gosec // the same
	key, err := age.GenerateX25519Identity()
	testkit.Must(t, err)
	testkit.Must(t, os.WriteFile(filepath.Join(a.dir, "key"), []byte(key.String()), 0o644)) //nolint:gosec // the same
	a.env = append(a.env, "RECIPIENT="+key.Recipient().String(), "IDENTITY="+a.dir+"/key")
}
