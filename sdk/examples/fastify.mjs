// A receiver of webhooks with Fastify: WEBHOOK_SECRET=whsec_… PORT=3000 node fastify.mjs
import { verifyWebhook, WebhookVerificationError } from "@scrip/sdk";
import { fastify } from "fastify";

// While a secret is being rotated: the old one and the new one, with a comma between them.
const secrets = (process.env.WEBHOOK_SECRET ?? "").split(",");
// In life a unique column of your database: an event may arrive more than once, and after a restart.
const seen = new Set();

const app = fastify({ bodyLimit: 65_536 });

app.register(async (receiver) => {
  // Only here the body stays bytes; your other routes go on getting parsed JSON.
  receiver.removeAllContentTypeParsers();
  receiver.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));

  receiver.post("/webhooks", async (request, reply) => {
    const event = await verifyWebhook(request.body, request.headers, secrets);
    // Write it down, answer, then work: an answer that takes long is a failure, and the event is sent again.
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
