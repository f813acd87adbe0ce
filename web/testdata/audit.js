// Runs the published audit of GraphQL over HTTP against a server and writes
// its results as JSON. Usage: node audit.js URL
"use strict";
const { serverAudits } = require("../../internal/engines/node_modules/graphql-http");

(async () => {
  const results = [];
  for (const audit of serverAudits({ url: process.argv[2], fetchFn: fetch })) {
    const result = await audit.fn();
    results.push({ id: result.id, name: result.name, status: result.status, reason: result.reason || "" });
  }
  process.stdout.write(JSON.stringify(results));
})().catch((error) => {
  process.stderr.write(String(error) + "\n");
  process.exit(1);
});
