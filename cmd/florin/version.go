package main

type showVersion struct{}

// Help returns the text that --help adds to the flags.
func (showVersion) Help() string {
	return `
Example:

    florin version
`
}

// Run prints the version.
func (showVersion) Run(p *process) error { return p.say("florin %s", version) }
