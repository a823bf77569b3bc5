import type { FastifyInstance, FastifyReply } from "fastify";
import { notFound } from "../../lib/problem.ts";
import { guideIndexPage, guidePage } from "./guide-page.ts";
import { PAGE_POLICY } from "./html.ts";
import { type Guide, readGuides } from "./read-guides.ts";
import { createGuideRenderer } from "./render-guide.ts";

/**
 * `/docs/guides/`: the guides for the reseller's engineers, each as a page and as Markdown. They are rendered on
 * first use, because most API processes never show them.
 */
export function serveGuides(app: FastifyInstance, baseUrl: () => string): void {
  let rendered: Promise<RenderedGuides> | undefined;
  const render = (): Promise<RenderedGuides> => {
    // After a failure, the next request tries again.
    rendered ??= renderGuides(baseUrl()).catch((error) => {
      rendered = undefined;
      throw error;
    });
    return rendered;
  };
  app.get("/docs/guides", (_request, reply) => reply.redirect("/docs/guides/", 301));
  app.get("/docs/guides/", async (_request, reply) => sendPage(reply, (await render()).index));
  app.get<{ Params: { name: string } }>("/docs/guides/:name", async (request, reply) => {
    const { name } = request.params;
    const { pages, sources } = await render();
    const html = pages.get(name);
    if (html !== undefined) return sendPage(reply, html);
    const markdown = sources.get(name);
    if (markdown === undefined) throw notFound();
    return reply.type("text/markdown; charset=utf-8").send(markdown);
  });
}

/** Pages by guide name, sources by file name. */
type RenderedGuides = {
  index: string;
  pages: ReadonlyMap<string, string>;
  sources: ReadonlyMap<string, string>;
};

async function renderGuides(baseUrl: string): Promise<RenderedGuides> {
  const [guides, toHtml] = await Promise.all([readGuides(baseUrl), createGuideRenderer()]);
  const pageOf = (guide: Guide): string => guidePage(guides, guide, toHtml(guide.markdown));
  return {
    index: guideIndexPage(guides),
    pages: new Map(guides.map((guide) => [guide.name, pageOf(guide)])),
    sources: new Map(guides.map((guide) => [`${guide.name}.md`, guide.markdown])),
  };
}

const sendPage = (reply: FastifyReply, html: string): FastifyReply =>
  reply.type("text/html; charset=utf-8").header("content-security-policy", PAGE_POLICY).send(html);
