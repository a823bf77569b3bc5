// A receiver of webhooks on Node alone: WEBHOOK_SECRET=whsec_… PORT=3000 node node-http.mjs
import { createServer } from "node:http";
import { verifyWebhook, WebhookVerificationError } from "@scrip/sdk";

const BODY_MAX_BYTES = 65_536;
// While a secret is being rotated: the old one and the new one, with a comma between them.
const secrets = (process.env.WEBHOOK_SECRET ?? "").split(",");
// In life a unique column of your database: an event may arrive more than once, and after a restart.
const seen = new Set();

const server = createServer(async (request, response) => {
  try {
    const event = await verifyWebhook(await readRawBody(request), request.headers, secrets);
    // Write it down, answer, then work: an answer that takes long is a failure, and the event is sent again.
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

/** The bytes as they came: what JSON.parse and JSON.stringify make of them is not what was signed. */
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
