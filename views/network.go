package views

// NetworkFace is how a network is called in front of people. Names are proper names and not translated.
type NetworkFace struct {
	// Name as people know it, Short for tight places and sentences, Coin what its fees are paid in.
	Name, Short, Coin string
	// Wrong is the network it is most often mistaken for, Twin the token that looks alike there but is another.
	Wrong string
	Twin  map[string]string
	// Alias is what many wallets call the right token here.
	Alias map[string]string
}

var networkFaces = map[string]NetworkFace{
	"BEP20": {
		Name: "BNB Smart Chain (BEP20)", Short: "BNB Smart Chain", Coin: "BNB", Wrong: "Ethereum (ERC20)",
		Alias: map[string]string{"USDT": "BSC-USD"},
	},
	"POLYGON": {
		Name: "Polygon", Short: "Polygon", Coin: "POL", Wrong: "Ethereum (ERC20)",
		Twin: map[string]string{"USDC": "USDC.e"}, Alias: map[string]string{"USDT": "USDT0"},
	},
	"BASE": {
		Name: "Base", Short: "Base", Coin: "ETH", Wrong: "Ethereum (ERC20)", Twin: map[string]string{"USDC": "USDbC"},
	},
	"SOL": {Name: "Solana", Short: "Solana", Coin: "SOL"},
}

// Face of a network; an unknown value shows itself.
func Face(network string) NetworkFace {
	if f, ok := networkFaces[network]; ok {
		return f
	}
	return NetworkFace{Name: network, Short: network}
}

// NetworkName is a network's name as people know it, such as "BNB Smart Chain (BEP20)".
func NetworkName(network string) string { return Face(network).Name }
