package main

import "runtime/debug"

// unversioned is the version of a program that was built without make.
const unversioned = "dev"

// version is set by the build (Makefile).
var version = unversioned

// buildVersion returns the version: the build's, or else that of the module, which `go install …@version` records.
func buildVersion() string {
	if version != unversioned {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return unversioned
}

type showVersion struct{}

// Help returns the text that --help adds to the flags.
func (showVersion) Help() string {
	return `
Example:

    florin version
`
}

// Run prints the version.
func (showVersion) Run(p *process) error { return p.say("florin %s", buildVersion()) }
