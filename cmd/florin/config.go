package main

type showConf struct{}

// Help returns the text that --help adds to the flags.
func (showConf) Help() string {
	return `
Prints every setting with its effective value, from the environment, the .env
file or the default, in the form of a .env file. Secrets are masked, and settings
without a value are comments. Token contracts, finality and explorers that no
setting replaces are marked as compiled in; those of all networks follow at the
end. Each problem is reported with the setting's name.

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
