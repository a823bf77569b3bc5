// A webhook receiver with plain Node: WEBHOOK_SECRET=whsec_… PORT=3000 node node-http.mjs
import { createServer } from "node:http";
import { verifyWebhook, WebhookVerificationError } from "@scrip/sdk";

const BODY_MAX_BYTES = 65_536;
// During a rotation: the old secret and the new one, separated by a comma.
const secrets = (process.env.WEBHOOK_SECRET ?? "").split(",");
// In production use a unique column of your database: an event can arrive more than once, also after a restart.
const seen = new Set();

const server = createServer(async (request, response) => {
  try {
    const event = await verifyWebhook(await readRawBody(request), request.headers, secrets);
    // Store it, respond, then work: a slow response counts as a failure, and the event is sent again.
    if (!seen.has(event.id)) setImmediate(handle, event);
    seen.add(event.id);
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end();
  }
});

function handle(event) {
  console.log(`handled ${event.type} ${event.id}`);
}

/** The raw bytes: after JSON.parse and JSON.stringify they are not what was signed. */
async function readRawBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > BODY_MAX_BYTES) throw new WebhookVerificationError("malformed_body", "too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

server.listen(process.env.PORT ?? 3000, () => console.log(`listening on port ${server.address().port}`));
