// A webhook receiver with Fastify: WEBHOOK_SECRET=whsec_… PORT=3000 node fastify.mjs
import { verifyWebhook, WebhookVerificationError } from "@scrip/sdk";
import { fastify } from "fastify";

// During a rotation: the old secret and the new one, separated by a comma.
const secrets = (process.env.WEBHOOK_SECRET ?? "").split(",");
// In production use a unique column of your database: an event can arrive more than once, also after a restart.
const seen = new Set();

const app = fastify({ bodyLimit: 65_536 });

app.register(async (receiver) => {
  // The body stays bytes only here; your other routes still get parsed JSON.
  receiver.removeAllContentTypeParsers();
  receiver.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));

  receiver.post("/webhooks", async (request, reply) => {
    const event = await verifyWebhook(request.body, request.headers, secrets);
    // Store it, respond, then work: a slow response counts as a failure, and the event is sent again.
    if (!seen.has(event.id)) setImmediate(handle, event);
    seen.add(event.id);
    return reply.code(204).send();
  });

  receiver.setErrorHandler((error, _request, reply) =>
    reply.code(error instanceof WebhookVerificationError ? 400 : (error.statusCode ?? 500)).send(),
  );
});

function handle(event) {
  console.log(`handled ${event.type} ${event.id}`);
}

await app.listen({ host: "0.0.0.0", port: Number(process.env.PORT ?? 3000) });
console.log(`listening on port ${app.server.address().port}`);
