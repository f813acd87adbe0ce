import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

// The file holds the position: events are never skipped, and never lost while this does not run.
const file = process.env.POSITION_FILE ?? "florin.position";
const pause = Number(process.env.PAUSE ?? 10) * 1000;
let after = existsSync(file) ? readFileSync(file, "utf8") : "";
while (true) {
  const response = await fetch(`http://localhost:8080/events?limit=100&after=${after}`, {
    headers: { Authorization: "Bearer " + process.env.FLORIN_API_KEY },
  }).catch(() => null);
  const page = response && (await response.json().catch(() => null));
  if (page?.code !== 200) {
    console.error(page?.message ?? "no answer");
    await setTimeout(pause);
    continue;
  }
  for (const event of page.events) {
    // The position is kept afterwards, so an event may come twice: eventId is its key.
    console.log(event.eventId, event.type, event.data.txnid, event.data.status);
  }
  if (page.events.length > 0) writeFileSync(file, (after = page.nextAfter));
  else await setTimeout(pause);
}
