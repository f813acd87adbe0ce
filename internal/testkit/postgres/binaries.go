package postgres

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// errNoPostgres names what to install.
var errNoPostgres = errors.New("no PostgreSQL server programs (initdb, pg_ctl) in PATH or /usr/lib/postgresql: " +
	"install the package postgresql-15 or any newer one (.ci/install-postgres does), or set " + ServerVariable)

// binaryPatterns are the directories into which packages put the server programs, which are not in PATH on
// Debian and others.
var binaryPatterns = []string{
	"/usr/lib/postgresql/*/bin",          // Debian, Ubuntu, Alpine
	"/usr/pgsql-*/bin",                   // the PostgreSQL project's RPMs
	"/opt/homebrew/opt/postgresql@*/bin", // macOS
}

// findBinaries returns the directory of initdb and pg_ctl: the one in PATH, else that of the newest version.
func findBinaries(patterns []string) (string, error) {
	if initdb, err := exec.LookPath("initdb"); err == nil {
		// A link in PATH stands alone; its target's directory has the other programs too.
		if initdb, err = filepath.EvalSymlinks(initdb); err == nil && complete(filepath.Dir(initdb)) {
			return filepath.Dir(initdb), nil
		}
	}
	var found []string
	for _, pattern := range patterns {
		directories, err := filepath.Glob(pattern)
		if err != nil {
			return "", fmt.Errorf("%s: %w", pattern, err)
		}
		found = append(found, slices.DeleteFunc(directories, func(d string) bool { return !complete(d) })...)
	}
	if len(found) == 0 {
		return "", errNoPostgres
	}
	return slices.MaxFunc(found, func(a, b string) int { return cmp.Compare(majorVersion(a), majorVersion(b)) }), nil
}

func complete(directory string) bool {
	for _, program := range []string{"initdb", "pg_ctl", "postgres"} {
		if _, err := os.Stat(filepath.Join(directory, program)); err != nil {
			return false
		}
	}
	return true
}

// majorVersion parses the 15 of /usr/lib/postgresql/15/bin or postgresql@15; 0 if there is none.
func majorVersion(directory string) int {
	name := filepath.Base(filepath.Dir(directory))
	version, err := strconv.Atoi(name[strings.LastIndexAny(name, "@-")+1:])
	if err != nil {
		return 0
	}
	return version
}

// unprivileged returns the user that the server runs as if the caller is root, because PostgreSQL refuses to
// run as root.
func unprivileged() (*syscall.Credential, error) {
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(found.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(found.Gid, 10, 32)
		if err := errors.Join(uidErr, gidErr); err != nil {
			return nil, fmt.Errorf("user %s: %w", name, err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("PostgreSQL refuses to run as root, and there is no user postgres or nobody to run it as")
}

// Program returns the path of a program that comes with the server, such as pg_dump.
func Program(name string) (string, error) {
	directory, err := findBinaries(binaryPatterns)
	if err != nil {
		return "", err
	}
	return filepath.Join(directory, name), nil
}

// Owner is the user that runs PostgreSQL's programs: nil is the caller. PostgreSQL refuses to run as root.
func Owner() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil //nolint:nilnil // the caller's own user
	}
	return unprivileged()
}
