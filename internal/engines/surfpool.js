'use strict';
// Runs the real Solana virtual machine for tests: a Surfnet without a network
// behind it, on loopback. It prints one line of JSON with its address and the
// key of an account that has SOL, and ends with its standard input.
//
//   node surfpool.js
const { Surfnet } = require('@solana/surfpool-linux-x64-gnu');

const net = Surfnet.startWithConfig({
  offline: true,
  blockProductionMode: 'transaction',
  slotTimeMs: 50,
});
process.stdout.write(JSON.stringify({ url: net.rpcUrl, ws: net.wsUrl, key: Array.from(net.payerSecretKey) }) + '\n');
setInterval(() => net.drainEvents(), 100); // it stops after about a thousand slots if nobody takes its events
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
