package views

// NetworkFace is how pages name a network. Names are proper names and not translated.
type NetworkFace struct {
	// Name is the full name, Short the one for tight places and sentences, Coin what its fees are paid in.
	Name, Short, Coin string
	// Also is what its coins are called in wallets and exchanges, where they are listed by that.
	Also string
	// Wrong is the network most often confused with it, Twin the similar but different token there.
	Wrong string
	Twin  map[string]string
	// Alias is the name of the right token in many wallets.
	Alias map[string]string
}

var networkFaces = map[string]NetworkFace{
	"BEP20": {
		Name: "BNB Smart Chain (BEP20)", Short: "BNB Smart Chain", Coin: "BNB", Wrong: "Ethereum (ERC20)",
		Alias: map[string]string{"USDT": "BSC-USD"},
	},
	"POLYGON": {
		Name: "Polygon", Also: "MATIC, POL", Short: "Polygon", Coin: "POL", Wrong: "Ethereum (ERC20)",
		Twin: map[string]string{"USDC": "USDC.e"}, Alias: map[string]string{"USDT": "USDT0"},
	},
	"BASE": {
		Name: "Base", Short: "Base", Coin: "ETH", Wrong: "Ethereum (ERC20)", Twin: map[string]string{"USDC": "USDbC"},
	},
	"SOL": {Name: "Solana", Short: "Solana", Coin: "SOL"},
}

// Face returns the names of a network; an unknown value is its own name.
func Face(network string) NetworkFace {
	if f, ok := networkFaces[network]; ok {
		return f
	}
	return NetworkFace{Name: network, Short: network}
}

// Listed is the name where people look for the network: with what wallets and exchanges list it by.
func (f NetworkFace) Listed() string {
	if f.Also == "" {
		return f.Name
	}
	return f.Name + " (" + f.Also + ")"
}

// NetworkName is a network's full name, such as "BNB Smart Chain (BEP20)".
func NetworkName(network string) string { return Face(network).Name }
