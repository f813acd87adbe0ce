package chain_test

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
)

func TestHoldsAddress(t *testing.T) {
	t.Parallel()
	const evm, sol = "0x52908400098527886E0F7030069857D2E4169EE7", "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU"
	for _, text := range []string{
		evm, "Polygon is down: send USDC to " + evm + ".", "to:52908400098527886E0F7030069857D2E4169EE7",
		"0X52908400098527886e0f7030069857d2e4169ee7", "0x5290 8400 0985 2788 6E0F 7030 0698 57D2 E416 9EE7",
		"0x5290-8400-0985-2788-6E0F-7030-0698-57D2-E416-9EE7", "0x\n52908400098527886E0F70\n30069857D2E4169EE7",
		"0\u200bx52908400098527886E0F7030069857D2E4169EE7", "ｏr ０ｘ52908400098527886E0F7030069857D2E4169EE7",
		"https://shop.example/?to=" + evm, sol, "send to " + sol + ", please", "(" + sol + ")",
		"7xKXtg2CW87d97TXJSDpbD5j BkheTqA83TZRuJosgAsU", "7xKXtg2C-W87d97TX-JSDpbD5j-BkheTqA8-3TZRuJos-gAsU",
		"solana:" + sol, "Ox52908400098527886E0F7030069857D2E4169EE7", "xyz52908400098527886E0F7030069857D2E4169EE7xyz",
		"5290 8400 0985 2788 6E0F 7030 0698 57D2 E416 9EE7", "pay 52908400098527886E0F/7030069857D2E4169EE7 now",
		"%30x52908400098527886E0F7030069857D2E4169EE7", "send it to corner-coffee.eth", "COFFEE.SOL.", "pay.coffee.base.eth",
		"ethereum:" + evm + "@137", "0х52908400098527886E0F7030069857D2E4169EE7", // a Cyrillic x
	} {
		if !chain.HoldsAddress(text) {
			t.Errorf("%q holds an address", text)
		}
	}
	for _, text := range []string{
		"", "Fresh coffee from the harbour, since 1998", "https://shop.example/sale?order=7f3a9c01",
		"Donaudampfschifffahrtsgesellschaftskapitaenspatent", "Call +49 40 1234567 or 0800 123 456 789 012 345 678 901 234 567 890",
		"5 10 20 50 100 200 500 1000 2000 5000 10000 20000 50000 100000", "IBAN DE89 3704 0044 0532 0130 00",
		"We take USDT, USDC on BSC, Polygon, Base and Solana", "iPhone15Pro MacBookAir13 iPadMini6",
		"commit 5ae253b8, build 0x1f", "paid by 0x" + strings.Repeat("5ae253b8", 8), "a bed, a decade, a cafe, a face, dad, bad, fee, dead, abed",
		"order 550e8400-e29b-41d4-a716-446655440000", "https://coffee.eth.example/", "shop.solar, see.bnbs", "tx " + strings.Repeat("5ae253b8", 8), "WE BUILD A NEW ROOF FOR THE SHELTER IN THE HARBOUR THIS YEAR",
	} {
		if chain.HoldsAddress(text) {
			t.Errorf("%q holds no address", text)
		}
	}
}
