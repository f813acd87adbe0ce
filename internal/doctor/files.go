package doctor

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strings"
)

// forOthers are the permissions of those who are neither the owner of a file nor in its group.
const forOthers fs.FileMode = 0o007

// Files checks that nobody else can read files with secrets, or with mend takes it from them. What an orchestrator
// mounts is left out: it belongs to the container alone.
func (r *Report) Files(paths []string, mend bool) {
	if runtime.GOOS == "windows" {
		return
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		open := err == nil && info.Mode()&forOthers != 0
		switch {
		case errors.Is(err, fs.ErrNotExist), strings.HasPrefix(path, "/run/secrets/"),
			strings.HasPrefix(path, "/var/run/secrets/"):
			continue
		case err != nil:
			r.addf("file "+path, Wrong, "it cannot be looked at: %s", err)
			continue
		case open && mend:
			if err := os.Chmod(path, info.Mode().Perm()&^forOthers); err != nil {
				r.addf("file "+path, Wrong, "everybody on this machine can use it, and that could not be mended: %s", err)
				continue
			}
			r.addf("file "+path, Fine, "everybody on this machine could use it; mended")
		case open:
			r.addf("file "+path, Warning, "everybody on this machine can use it, and it holds secrets: run `chmod o= %s`, or "+
				"`florin doctor --fix`", path)
		default:
			r.addf("file "+path, Fine, "only its owner and group can use it")
		}
	}
}

// leastFiles is enough for some thousand open pages beside everything else.
const leastFiles = 8_192

// OpenFiles checks how many files and connections the program may have open; 0 is unknown.
func (r *Report) OpenFiles(most uint64) {
	if most > 0 && most < leastFiles {
		r.addf("open files", Warning, "only %d may be open at once, and each open page is one: set LimitNOFILE=65536 in the unit "+
			"of systemd, or `--ulimit nofile=65536` for a container", most)
		return
	}
	r.addf("open files", Fine, "there is no low limit of open files")
}
