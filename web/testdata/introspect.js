// Reads a server's schema as GraphiQL and every code generator does, builds it
// and writes its operations as JSON. Usage: node introspect.js URL
"use strict";
const { buildClientSchema, getIntrospectionQuery } = require("../../internal/engines/node_modules/graphql");

(async () => {
  const answer = await fetch(process.argv[2], {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: getIntrospectionQuery() }),
  });
  const { data, errors } = await answer.json();
  if (errors) throw new Error(errors[0].message);
  const schema = buildClientSchema(data);
  process.stdout.write(JSON.stringify([
    ...Object.keys(schema.getQueryType().getFields()),
    ...Object.keys(schema.getMutationType().getFields()),
  ]));
})().catch((error) => {
  process.stderr.write(String(error) + "\n");
  process.exit(1);
});
