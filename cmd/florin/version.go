package main

type showVersion struct{}

// Help returns what --help says beyond the flags.
func (showVersion) Help() string {
	return `
Example:

    florin version
`
}

// Run prints the version.
func (showVersion) Run(p *process) error { return p.say("florin %s", version) }
