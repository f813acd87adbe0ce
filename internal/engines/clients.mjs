// The clients that shops are written with, against a running server: those that generators make of its OpenAPI document,
// those of GraphQL, and receivers of webhooks. Each client creates, pays and reads payments of amounts with 6 places; each
// receiver verifies what it got, as it came and written again after it was parsed.
//
//   node clients.mjs
//
// Standard input: a line of JSON with base, openapi and deposit (where test money is sent, with the txnid behind it), and,
// after the addresses of the receivers were printed, a line with the key and the signing secret of the shop of each.
// Standard output, after the addresses: a line for each client, receiver and check: its name, and what went wrong.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client/core';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { createClient as createHeyAPI } from '@hey-api/openapi-ts';
import { serve } from '@hono/node-server';
import { Client as Urql, fetchExchange } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import express from 'express';
import fastify from 'fastify';
import { GraphQLClient } from 'graphql-request';
import { Hono } from 'hono';
import createFetchClient from 'openapi-fetch';
import openapiTS, { astToString } from 'openapi-typescript';
import * as standard from 'standardwebhooks';
import * as svix from 'svix';
import ts from 'typescript';

const amounts = [49.123456, 999999.999999, 0.010001];
const note = 'R&B <b>\u2028 "ü" 支付';
const require = createRequire(import.meta.url);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const say = (line) => writeSync(1, `${JSON.stringify(line)}\n`);
process.stdout.write = () => true; // generators greet
const next = async () => JSON.parse((await lines.next()).value);
const { base, openapi, deposit } = await next();

// --- receivers

const receivers = { express: [], fastify: [], hono: [] }; // what each got: raw, parsed, headers
const secrets = {};

function startExpress() {
  const app = express();
  app.use(express.json({ verify: (req, _res, raw) => { req.raw = raw.toString(); } }));
  app.post('/hook', (req, res) => {
    receivers.express.push({ raw: req.raw, parsed: req.body, headers: req.headers });
    res.sendStatus(204);
  });
  return new Promise((done) => { const s = app.listen(0, '127.0.0.1', () => done(s.address().port)); });
}

async function startFastify() {
  const app = fastify();
  app.addHook('preParsing', async (req, _reply, payload) => {
    const parts = [];
    for await (const part of payload) parts.push(part);
    const raw = Buffer.concat(parts);
    req.raw.text = raw.toString();
    return Object.assign(Readable.from([raw]), { receivedEncodedLength: raw.length });
  });
  app.post('/hook', async (req, reply) => {
    receivers.fastify.push({ raw: req.raw.text, parsed: req.body, headers: req.headers });
    return reply.code(204).send();
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return app.server.address().port;
}

function startHono() {
  const app = new Hono();
  app.post('/hook', async (c) => {
    receivers.hono.push({ raw: await c.req.text(), parsed: await c.req.json(), headers: c.req.header() });
    return c.body(null, 204);
  });
  return new Promise((done) => { serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, (a) => done(a.port)); });
}

async function verify(name, want) {
  const end = Date.now() + 60_000;
  const came = () => new Set(receivers[name].map((r) => r.headers['webhook-id'])).size; // one may come twice
  while (came() < want && Date.now() < end) await new Promise((r) => { setTimeout(r, 50); });
  assert.equal(came(), want, 'webhooks that came');
  for (const { raw, parsed, headers } of receivers[name]) {
    assert.equal(JSON.stringify(parsed), raw);
    assert.equal(parsed.status, 'completed');
    assert.equal(parsed.amount, parsed.receivedAmount);
    assert.ok(amounts.includes(parsed.amount), `amount ${parsed.amount}`);
    assert.equal(parsed.metadata.note, note.replace('\u2028', '\n'));
    for (const { Webhook } of [standard, svix]) {
      for (const text of [raw, JSON.stringify(parsed)]) new Webhook(secrets[name]).verify(text, headers);
      assert.throws(() => new Webhook(secrets[name]).verify(raw.replace('completed', 'expired'), headers));
    }
  }
}

// --- clients made by generators, in a folder from which they find their packages

const here = dirname(fileURLToPath(import.meta.url));
const dir = mkdtempSync(join(here, 'node_modules', '.clients-'));
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
writeFileSync(join(dir, 'package.json'), '{"type":"commonjs"}');
writeFileSync(join(dir, 'openapi.json'), openapi);

/** Makes JavaScript of all TypeScript in a folder. */
function transpile(folder) {
  for (const f of readdirSync(folder, { recursive: true })) {
    if (!f.endsWith('.ts') || f.endsWith('.d.ts')) continue;
    const { outputText } = ts.transpileModule(readFileSync(join(folder, f), 'utf8'), {
      compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true },
    });
    writeFileSync(join(folder, f.replace(/\.ts$/, '.js')), outputText);
  }
}

const kinds = { network: 'POLYGON', token: 'USDC' };
const taken = ({ data, error }) => { assert.equal(error, undefined); return data; };

async function openapiTypescript(key) {
  writeFileSync(join(dir, 'schema.d.ts'), astToString(await openapiTS(JSON.parse(openapi), { silent: true })));
  const api = createFetchClient({ baseUrl: base, headers: { 'x-api-key': key } });
  return {
    create: async (body) => taken(await api.POST('/create-payment', { body })),
    pay: async (txnid) => taken(await api.POST('/pay', { body: { txnid, ...kinds } })),
    read: async (txnid) => taken(await api.GET('/orders/{txnid}', { params: { path: { txnid } } })),
  };
}

async function heyAPI(key) {
  const output = join(dir, 'hey-api');
  await createHeyAPI({
    input: join(dir, 'openapi.json'), output, logs: { level: 'silent', file: false },
    plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
  });
  transpile(output);
  const { client } = require(join(output, 'client.gen.js'));
  const sdk = require(join(output, 'sdk.gen.js'));
  client.setConfig({ baseUrl: base, headers: { 'x-api-key': key } });
  return {
    create: async (body) => taken(await sdk.createPayment({ body })),
    pay: async (txnid) => taken(await sdk.pay({ body: { txnid, ...kinds } })),
    read: async (txnid) => taken(await sdk.getOrder({ path: { txnid } })),
  };
}

async function orval(key) {
  const output = join(dir, 'orval');
  mkdirSync(output);
  const { generate } = require('orval');
  await generate({
    input: { target: join(dir, 'openapi.json') },
    output: { target: join(output, 'api.ts'), client: 'fetch', mode: 'single', baseUrl: base, prettier: false },
  }, dir);
  transpile(output);
  const api = require(join(output, 'api.js'));
  const options = { headers: { 'x-api-key': key } };
  const ok = ({ status, data }) => { assert.equal(status, 200); return data; };
  return {
    create: async (body) => ok(await api.createPayment(body, options)),
    pay: async (txnid) => ok(await api.pay({ txnid, ...kinds }, options)),
    read: async (txnid) => ok(await api.getOrder(txnid, options)),
  };
}

// --- clients of GraphQL

const create = `mutation Create($amount: Float!, $metadata: StringMap) {
  payment(apiKey: "", amount: $amount, metadata: $metadata) { code message transaction { txnid amount } } }`;
const pay = `mutation Pay($txnid: String!) {
  startPolygonPayment(txnid: $txnid, token: USDC) { code message transaction { txnid amount wallet { address } } } }`;
const read = `query Read($txnid: String!) {
  getTxnDetails(txnid: $txnid) { code message transaction { txnid status amount receivedAmount } } }`;
const first = (data) => Object.values(data)[0];

function graphQL(key, run) {
  const creates = create.replace('""', JSON.stringify(key));
  return {
    create: async (variables) => first(await run(creates, variables)),
    pay: async (txnid) => first(await run(pay, { txnid })),
    read: async (txnid) => first(await run(read, { txnid })),
  };
}

const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const uri = `${base}/graphql`;

function apollo(key) {
  const link = new PersistedQueryLink({ sha256, useGETForHashedQueries: true }).concat(new HttpLink({ uri }));
  const client = new ApolloClient({ cache: new InMemoryCache(), link });
  return graphQL(key, async (text, variables) => {
    const document = gql(text);
    const { data } = text.startsWith('query')
      ? await client.query({ query: document, variables, fetchPolicy: 'network-only' })
      : await client.mutate({ mutation: document, variables });
    return Object.fromEntries(Object.entries(data).filter(([name]) => name !== '__typename'));
  });
}

function urql(key, exchanges) {
  const client = new Urql({ url: uri, exchanges, requestPolicy: 'network-only' });
  return graphQL(key, async (text, variables) => {
    const { data, error } = await client[text.startsWith('query') ? 'query' : 'mutation'](text, variables).toPromise();
    if (error) throw error;
    return data;
  });
}

const clients = {
  'openapi-typescript': openapiTypescript,
  'hey-api': heyAPI,
  orval,
  'apollo, persisted queries': apollo,
  urql: (key) => urql(key, [fetchExchange]),
  'urql, persisted queries': (key) => urql(key, [
    persistedExchange({ preferGetForPersistedQueries: true, enableForMutation: true }), fetchExchange,
  ]),
  'graphql-request': (key) => {
    const client = new GraphQLClient(uri);
    return graphQL(key, (text, variables) => client.request(text, variables));
  },
};

async function through(api) {
  for (const amount of amounts) {
    const made = (await api.create({ amount, metadata: { note } })).transaction;
    assert.equal(made.amount, amount, 'as it was created');
    const paid = (await api.pay(made.txnid)).transaction;
    assert.match(paid.wallet.address, /^0x[0-9a-fA-F]{40}$/);
    assert.equal((await fetch(deposit + made.txnid, { method: 'POST' })).status, 200);
    const { status, amount: asked, receivedAmount } = (await api.read(made.txnid)).transaction;
    assert.deepEqual({ status, asked, receivedAmount }, { status: 'COMPLETED', asked: amount, receivedAmount: amount });
  }
}

/** The types of the generated clients hold what a program does with them. */
function compiles() {
  writeFileSync(join(dir, 'use.ts'), `
    import createClient from 'openapi-fetch';
    import type { paths, components } from './schema';
    import { createPayment } from './hey-api/sdk.gen';
    import { createPayment as create } from './orval/api';
    export async function use(): Promise<number[]> {
      const one = await createClient<paths>({}).POST('/create-payment', { body: { amount: 49.123456 } });
      const two = await createPayment({ body: { amount: 49.123456 } });
      const three = await create({ amount: 49.123456 });
      const hook: components['schemas']['WebhookBody'] | undefined = undefined;
      return [one.data?.transaction?.amount ?? 0, two.data?.transaction?.amount ?? 0, three.status];
    }`);
  const program = ts.createProgram([join(dir, 'use.ts')], {
    noEmit: true, strict: true, skipLibCheck: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler, lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'], types: [],
  });
  const wrong = ts.getPreEmitDiagnostics(program);
  assert.equal(wrong.length, 0, wrong.map((d) => `${d.file?.fileName}: ${ts.flattenDiagnosticMessageText(d.messageText, ' ')}`).join('\n'));
}

async function report(name, run) {
  try {
    await run();
    say({ name, problem: '' });
  } catch (e) {
    say({ name, problem: String(e.stack) });
  }
}

const ports = { express: await startExpress(), fastify: await startFastify(), hono: await startHono() };
say(Object.fromEntries(Object.entries(ports).map(([n, p]) => [n, `http://127.0.0.1:${p}/hook`])));
const shops = await next(); // by receiver: key, secret
for (const [name, shop] of Object.entries(shops)) secrets[name] = shop.secret;
const names = Object.keys(shops);
const due = Object.fromEntries(names.map((n) => [n, 0]));
let i = 0;
for (const [name, client] of Object.entries(clients)) {
  const shop = names[i++ % names.length];
  due[shop] += amounts.length;
  await report(name, async () => through(await client(shops[shop].key)));
}
await report('types', async () => compiles());
for (const name of names) await report(name, () => verify(name, due[name]));
process.exit(0);
