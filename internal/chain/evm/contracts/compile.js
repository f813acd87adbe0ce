// Compiles the Solidity sources of one directory and prints solc's combined JSON (ABI and bytecode), the form abigen
// reads. Every setting that shapes the bytecode is fixed here: the bytecode decides every deposit address.
//
//   node compile.js DIRECTORY > artifact.json
//
// Compiler and libraries come from internal/engines (npm ci --ignore-scripts).
"use strict";
const fs = require("fs");
const path = require("path");

const modules = path.join(__dirname, "../../../engines/node_modules");
const solc = require(path.join(modules, "solc"));

const settings = {
  evmVersion: "cancun",
  optimizer: { enabled: true, runs: 1000000 },
  viaIR: true,
  metadata: { bytecodeHash: "none" },
  outputSelection: {
    "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] },
  },
};

function compile(directory) {
  const own = fs.readdirSync(directory).filter((name) => name.endsWith(".sol")).sort();
  const sources = {};
  for (const name of own) {
    sources[name] = { content: fs.readFileSync(path.join(directory, name), "utf8") };
  }
  const input = { language: "Solidity", sources, settings };
  const find = (file) => ({ contents: fs.readFileSync(path.join(modules, file), "utf8") });
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: find }));
  const messages = (output.errors || []).map((e) => e.formattedMessage);
  if (messages.length > 0) throw new Error(messages.join("\n"));

  const contracts = {};
  for (const file of own) {
    for (const [name, contract] of Object.entries(output.contracts[file] || {})) {
      if (contract.evm.bytecode.object === "") continue; // interfaces
      contracts[`${file}:${name}`] = {
        abi: contract.abi,
        bin: contract.evm.bytecode.object,
        "bin-runtime": contract.evm.deployedBytecode.object,
      };
    }
  }
  return { contracts, version: solc.version() };
}

process.stdout.write(JSON.stringify(compile(process.argv[2]), null, 1) + "\n");
