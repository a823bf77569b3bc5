// A webhook receiver for runtimes where a server is a function of requests:
//   Deno:  Deno.serve(createReceiver(Deno.env.get("WEBHOOK_SECRET")));
//   Bun:   Bun.serve({ fetch: createReceiver(process.env.WEBHOOK_SECRET) });
//   Edge:  export default { fetch: (request, env) => createReceiver(env.WEBHOOK_SECRET)(request) };
import { verifyWebhook, WebhookVerificationError } from "@scrip/sdk";

// In production use a unique key of your database: an event can arrive more than once, also at another instance.
const seen = new Set();

/** During a rotation: the old secret and the new one, separated by a comma. */
export function createReceiver(secret) {
  const secrets = secret.split(",");
  return async (request) => {
    try {
      const event = await verifyWebhook(await request.arrayBuffer(), request.headers, secrets);
      // Store it, respond, then work: a slow response counts as a failure, and the event is sent again.
      if (!seen.has(event.id)) setTimeout(handle, 0, event);
      seen.add(event.id);
      return new Response(null, { status: 204 });
    } catch (error) {
      return new Response(null, { status: error instanceof WebhookVerificationError ? 400 : 500 });
    }
  };
}

function handle(event) {
  console.log(`handled ${event.type} ${event.id}`);
}
