package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// progress shows how far a long command is, as a bar on a terminal, and otherwise as a line now and then.
type progress struct {
	out   *os.File // nil: not a terminal
	lines io.Writer
	what  string
	total int
	shown time.Time
}

const (
	barWidth = 30
	barEvery = 100 * time.Millisecond
	// lineEvery is how often a line says how far a command is whose errors go to a file.
	lineEvery = time.Minute
)

func (p *process) progress(what string, total int) *progress {
	b := &progress{what: what, total: total, lines: p.stderr}
	if f, ok := p.stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		b.out = f
	} else {
		b.shown = time.Now()
	}
	return b
}

// at shows how many are done.
func (b *progress) at(done int) {
	if b.out == nil {
		if time.Since(b.shown) >= lineEvery {
			b.shown = time.Now()
			_, _ = fmt.Fprintf(b.lines, "%d of %d %s\n", done, b.total, b.what)
		}
		return
	}
	if time.Since(b.shown) < barEvery && done < b.total {
		return
	}
	b.shown = time.Now()
	_, _ = fmt.Fprint(b.out, "\r"+b.line(done))
}

func (b *progress) line(done int) string {
	total := max(b.total, 1)
	full := min(done*barWidth/total, barWidth)
	return fmt.Sprintf("[%s%s] %3d %% %d of %d %s", strings.Repeat("#", full), strings.Repeat("-", barWidth-full),
		min(done*100/total, 100), done, b.total, b.what)
}

// end ends the bar's line.
func (b *progress) end() {
	if b.out != nil {
		_, _ = fmt.Fprintln(b.out)
	}
}
