package main

type showConf struct{}

// Help returns what --help says beyond the flags.
func (showConf) Help() string {
	return `
Prints every setting as it counts, from the environment, the .env file or the
default, in the form of a .env file. Secrets are masked, and settings without a
value are comments. What is wrong is told by name.

Example:

    florin config
`
}

// Run prints the configuration.
func (showConf) Run(p *process) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	return cfg.Print(p.stdout)
}
