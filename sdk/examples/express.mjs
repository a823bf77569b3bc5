// A webhook receiver with Express: WEBHOOK_SECRET=whsec_… PORT=3000 node express.mjs
import { verifyWebhook, WebhookVerificationError } from "@scrip/sdk";
import express from "express";

// During a rotation: the old secret and the new one, separated by a comma.
const secrets = (process.env.WEBHOOK_SECRET ?? "").split(",");
// In production use a unique column of your database: an event can arrive more than once, also after a restart.
const seen = new Set();

const app = express();
// Before any express.json(), which would consume the bytes that were signed.
const rawBody = express.raw({ type: () => true, limit: 65_536 });

app.post("/webhooks", rawBody, async (request, response) => {
  const event = await verifyWebhook(request.body, request.headers, secrets);
  // Store it, respond, then work: a slow response counts as a failure, and the event is sent again.
  if (!seen.has(event.id)) setImmediate(handle, event);
  seen.add(event.id);
  response.sendStatus(204);
});

app.use((error, _request, response, _next) => {
  response.sendStatus(error instanceof WebhookVerificationError ? 400 : (error.statusCode ?? 500));
});

function handle(event) {
  console.log(`handled ${event.type} ${event.id}`);
}

const server = app.listen(process.env.PORT ?? 3000, () => {
  console.log(`listening on port ${server.address().port}`);
});
