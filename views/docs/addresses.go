package docs

// The worked example of the page about deposit addresses. A test of the program computes every value of it apart from
// the program's own derivation.
const (
	ExampleTxnid      = "01JD5X8Q7N3KZ4V9T2M6RBWYHC"
	ExampleBytes      = "01934bd45cf51cfe4da742a1b0be7a2c"
	ExampleSettlement = "0x52908400098527886E0F7030069857D2E4169EE7"
)

const recoverCommand = "florin recover --txnid " + ExampleTxnid + " --settlement " + ExampleSettlement

// AddressExample returns the steps of the worked example.
func AddressExample() (evm, solana []Step) {
	evm = []Step{
		{"factory", "The contract that `florin deploy` puts on every network.", "0x31Bd2e73602Dd86e11a6A48A6177E3640DF79306"},
		{
			"implementation", "The code of the clones: CREATE by the factory, nonce 1.",
			"0x32cfbA1b4687fb256a3F46085d92fe01F7cEc35C",
		},
		{
			"salt", "keccak256(the 17 bytes of `florin/deposit/v1` ‖ the 16 bytes of the txnid)",
			"0x7dba65f61a1ee33324e0ae7f37be91a7ebc844c60f08dd337b178d94252cd0d0",
		},
		{
			"init code", "`6100413d81600a3d39f3363d3d373d3d3d363d73` ‖ implementation ‖ " +
				"`5af43d82803e903d91602b57fd5bf3` ‖ settlement wallet",
			"0x6100413d81600a3d39f3363d3d373d3d3d363d7332cfba1b4687fb256a3f46085d92fe01f7cec35c" +
				"5af43d82803e903d91602b57fd5bf352908400098527886e0f7030069857d2e4169ee7",
		},
		{
			"address", "The last 20 bytes of keccak256(`ff` ‖ factory ‖ salt ‖ keccak256(init code))",
			"0xeFa036aA74AE6628d3773eFa5F839C29f9f6F466",
		},
	}
	solana = []Step{
		{
			"levels", "The txnid as a number in base 2^31: five digits, the most significant first, because a hardened " +
				"level holds 31 bits.",
			"0, 211443362, 1943303161, 458130755, 817789484",
		},
		{
			"path", "`m/1179406162'/501'/1'/a'/b'/c'/d'/e'`: the letters FLOR as a number, Solana's coin type, the version, " +
				"and the levels.",
			"m/1179406162'/501'/1'/0'/211443362'/1943303161'/458130755'/817789484'",
		},
		{"address", "The public key of the key at that path, in base 58.", "EtprnkXo66G9TcEr69bdm29kccZRR7X4ynTKSUGdWXoF"},
	}
	return evm, solana
}
