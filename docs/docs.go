// Package docs holds the pages for operators, as Markdown. A server shows them at /docs/operate.
package docs

import "embed"

// Operate has the pages: README.md is the first.
//
//go:embed operate/*.md
var Operate embed.FS
