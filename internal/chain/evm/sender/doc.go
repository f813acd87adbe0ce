// Package sender makes, signs, broadcasts and tracks transactions on the EVM
// networks: sweeps of deposit addresses (Sweeps), token transfers of recharges
// (Transfers) and the deployment of the forwarder factory (Deployer).
//
//	txRequest ──price──▶ pricedTx ──sign──▶ signed bytes ──broadcast──▶ network
//	                                             │
//	                                             └── tracker ──▶ chain.TxStatus
//
// Its one invariant: signing and broadcasting are separate calls, so that the
// caller can store the signed bytes before they are sent.
package sender
