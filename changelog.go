// Package florin holds the texts of the program as a whole.
package florin

import _ "embed"

// Changelog says what changes for those who run or use Florin, in the form of Keep a Changelog.
//
//go:embed CHANGELOG.md
var Changelog string
