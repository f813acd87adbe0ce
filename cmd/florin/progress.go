package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// progress shows how far a long command is, as a bar on a terminal. Without a terminal it shows nothing.
type progress struct {
	out   *os.File // nil: not a terminal
	what  string
	total int
	shown time.Time
}

const (
	barWidth = 30
	barEvery = 100 * time.Millisecond
)

func (p *process) progress(what string, total int) *progress {
	b := &progress{what: what, total: total}
	if f, ok := p.stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		b.out = f
	}
	return b
}

// at shows how many are done.
func (b *progress) at(done int) {
	if b.out == nil || time.Since(b.shown) < barEvery && done < b.total {
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
