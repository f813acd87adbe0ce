'use strict';
// Checks an OpenAPI document on standard input by the "recommended" rules of Spectral and Redocly, and prints a line for
// each finding.
//
//   node lint-openapi.js
const { Spectral, Document } = require('@stoplight/spectral-core');
const { Json } = require('@stoplight/spectral-parsers');
const { oas } = require('@stoplight/spectral-rulesets');
const { createConfig, lintFromString } = require('@redocly/openapi-core');

async function lint(source) {
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [[oas, 'recommended']] });
  for (const f of await spectral.run(new Document(source, Json, 'openapi.json'))) {
    console.log(`spectral ${f.code} at ${f.path.join('.')}: ${f.message}`);
  }
  const config = await createConfig({ extends: ['recommended'] });
  for (const f of await lintFromString({ source, config, absoluteRef: '/openapi.json' })) {
    console.log(`redocly ${f.ruleId} at ${f.location.map((l) => l.pointer).join(', ')}: ${f.message}`);
  }
}

lint(require('fs').readFileSync(0, 'utf8')).catch((e) => {
  console.log(e.stack);
  process.exitCode = 1;
});
