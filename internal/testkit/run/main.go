// Command run runs go test for many packages: on one PostgreSQL server, and with a line for each package as it ends.
// Of what tests print, only that of those that fail is shown.
//
//	run -count=1 ./web ./...
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/testkit/postgres"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if os.Getenv(postgres.ServerVariable) == "" {
		address, stop, err := postgres.ForRun()
		if err != nil {
			return err
		}
		defer func() { _ = stop() }()
		if err := os.Setenv(postgres.RunVariable, address); err != nil {
			return err
		}
	}
	patterns := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return !strings.HasPrefix(arg, ".") })
	listed, err := exec.Command("go", append([]string{"list"}, patterns...)...).Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	tests := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	tests.Stderr = os.Stderr
	events, err := tests.StdoutPipe()
	if err != nil {
		return err
	}
	if err := tests.Start(); err != nil {
		return err
	}
	shown := report{out: os.Stdout, of: len(strings.Fields(string(listed))), running: make(map[string]output)}
	return errors.Join(shown.read(events), tests.Wait())
}

// event is a line of go test -json (go doc test2json).
type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64 // seconds
}

// silence is how long nothing is said at most.
const silence = 30 * time.Second

// report says how far the run is.
type report struct {
	out       io.Writer
	of, ended int
	running   map[string]output // of packages that have not ended
	said      time.Time
}

// output is what the tests of a package have printed, by test; of those that passed it is forgotten.
type output map[string][]string

func (r *report) read(events io.Reader) error {
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) == 0 && errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		var e event
		if json.Unmarshal(line, &e) != nil {
			fmt.Fprintf(r.out, "%s", line) // not of a test
			continue
		}
		r.hear(e)
	}
}

func (r *report) hear(e event) {
	switch name := e.Package; {
	case e.Action == "build-output":
		fmt.Fprint(r.out, e.Output)
	case e.Action == "start":
		r.running[name] = make(output)
	case e.Action == "output" && r.running[name] != nil:
		r.running[name][e.Test] = append(r.running[name][e.Test], e.Output)
	case !slices.Contains([]string{"pass", "fail", "skip"}, e.Action):
	case e.Test == "":
		r.end(e)
	case e.Action != "fail":
		delete(r.running[name], e.Test)
	}
	if len(r.running) > 0 && time.Since(r.said) > silence {
		names := slices.Sorted(maps.Keys(r.running))
		fmt.Fprintf(r.out, "…    %3d of %d  now %s\n", r.ended, r.of, strings.Join(names, " "))
		r.said = time.Now()
	}
}

func (r *report) end(e event) {
	r.ended++
	r.said = time.Now()
	word := map[string]string{"pass": "ok  ", "fail": "FAIL", "skip": "?   "}[e.Action]
	if e.Action == "fail" { // what has not ended has failed, too
		tests := r.running[e.Package]
		for _, test := range slices.Sorted(maps.Keys(tests)) {
			fmt.Fprint(r.out, strings.Join(tests[test], ""))
		}
	}
	delete(r.running, e.Package)
	fmt.Fprintf(r.out, "%s %3d of %d  %s  %.1fs\n", word, r.ended, r.of, e.Package, e.Elapsed)
}
