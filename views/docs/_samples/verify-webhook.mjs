import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const { SIGNING_SECRET, CALLBACK_SECRET, PORT } = process.env;
const key = Buffer.from(SIGNING_SECRET.replace(/^whsec_/, ""), "base64");

function same(a, b) {
  return a.length === b.length && timingSafeEqual(a, b);
}

// body is the request's body as it arrived, before any parsing.
function verify(headers, body) {
  const id = headers["webhook-id"], at = headers["webhook-timestamp"], signatures = headers["webhook-signature"];
  if (!id || !signatures || !(Math.abs(Date.now() / 1000 - Number(at)) <= 300)) return false; // missing, or too old
  const want = createHmac("sha256", key).update(`${id}.${at}.`).update(body).digest();
  return signatures.split(" ").some((each) => each.startsWith("v1,") && same(Buffer.from(each.slice(3), "base64"), want));
}

createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts);
  if (!verify(request.headers, body)) return response.writeHead(400).end();
  const event = JSON.parse(body);
  // The second proof, if you set a secret: it travels in the body.
  if (CALLBACK_SECRET && !same(Buffer.from(event.secret ?? ""), Buffer.from(CALLBACK_SECRET))) {
    return response.writeHead(400).end();
  }
  // An event may come twice; event.eventId stays the same.
  console.log(event.txnid, event.status);
  response.writeHead(204).end();
}).listen(PORT, "127.0.0.1");
