// A receiver of webhooks with Express: WEBHOOK_SECRET=whsec_… PORT=3000 node express.mjs
import { verifyWebhook, WebhookVerificationError } from "@scrip/sdk";
import express from "express";

// While a secret is being rotated: the old one and the new one, with a comma between them.
const secrets = (process.env.WEBHOOK_SECRET ?? "").split(",");
// In life a unique column of your database: an event may arrive more than once, and after a restart.
const seen = new Set();

const app = express();
// Before any express.json(), which would leave nothing of the bytes that were signed.
const rawBody = express.raw({ type: () => true, limit: 65_536 });

app.post("/webhooks", rawBody, async (request, response) => {
  const event = await verifyWebhook(request.body, request.headers, secrets);
  // Write it down, answer, then work: an answer that takes long is a failure, and the event is sent again.
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
