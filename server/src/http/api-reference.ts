import scalar from "@scalar/fastify-api-reference";
import type { FastifyInstance } from "fastify";

/** `/docs`: the API reference. Everything that would ask another host for something is switched off. */
export async function serveReference(app: FastifyInstance): Promise<void> {
  await app.register(async (docs) => {
    docs.addHook("onSend", async (_request, reply) => {
      reply.header("content-security-policy", ONLY_THIS_HOST);
    });
    await docs.register(scalar, {
      routePrefix: "/docs",
      configuration: {
        url: "/openapi.json",
        pageTitle: "Scrip API reference",
        withDefaultFonts: false,
        telemetry: false,
        agent: { disabled: true },
        mcp: { disabled: true },
        hideClientButton: true,
        showDeveloperTools: "never",
        // The whole API at a glance: there are few enough operations for that.
        defaultOpenAllTags: true,
      },
    });
  });
}

/** Should a setting above ever be renamed, the browser itself still refuses other hosts. */
const ONLY_THIS_HOST =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";
