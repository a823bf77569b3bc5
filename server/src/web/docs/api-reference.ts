import Fastify, { type FastifyInstance } from "fastify";
import { SITE_LINKS } from "./html.ts";
import { ICON_LINKS } from "./icons.ts";

/**
 * `/docs`: the API reference. Every feature that contacts another host is switched off. The library is several
 * megabytes and is loaded on first use, because most API processes never show the page.
 */
export function serveReference(app: FastifyInstance): void {
  let rendered: Promise<Rendered> | undefined;
  const render = (): Promise<Rendered> => {
    // After a failure, the next request tries again.
    rendered ??= renderReference().catch((error) => {
      rendered = undefined;
      throw error;
    });
    return rendered;
  };
  app.get("/docs", (_request, reply) => reply.redirect("/docs/", 301));
  app.get("/docs/", async (_request, reply) =>
    reply
      .header("content-security-policy", ONLY_THIS_HOST)
      .type(HTML)
      .send((await render()).page),
  );
  app.get(`/docs/${SCRIPT}`, async (_request, reply) => reply.type(JAVASCRIPT).send((await render()).script));
}

type Rendered = { page: string; script: string };

const SCRIPT = "js/scalar.js";
const HTML = "text/html; charset=utf-8";
const JAVASCRIPT = "application/javascript; charset=utf-8";

/** The library works only with Fastify, so it runs in a separate app that never listens. */
async function renderReference(): Promise<Rendered> {
  const { default: scalar } = await import("@scalar/fastify-api-reference");
  const pages = Fastify({ logger: false });
  await pages.register(scalar, {
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
      // Few enough operations to show them all at once.
      defaultOpenAllTags: true,
      customCss: HEADER_STYLE,
    },
  });
  const [page, script] = await Promise.all([pages.inject("/docs/"), pages.inject(`/docs/${SCRIPT}`)]);
  await pages.close();
  return { page: withHeader(page.body), script: script.body };
}

/** Adds our icon, and a header with links to the guides and errors, which the library's page lacks. */
function withHeader(html: string): string {
  const body = /<body[^>]*>/.exec(html)?.[0];
  if (body === undefined || !html.includes("</head>"))
    throw new Error("the API reference page has no head or body for the header");
  return html
    .replace("</head>", `${ICON_LINKS}</head>`)
    .replace(body, `${body}<nav class="site" aria-label="Scrip">${SITE_LINKS}</nav>`);
}

/** The library reserves this height for a header, and its colors follow light and dark mode. */
const HEADER_STYLE = `
:root { --scalar-custom-header-height: 44px; }
.site { position: sticky; top: 0; z-index: 10; box-sizing: border-box; height: 44px; display: flex; gap: 1.5rem; align-items: center;
  padding: 0 1.5rem; font: 15px system-ui, sans-serif; color: var(--scalar-color-1); background: var(--scalar-background-1);
  border-bottom: 1px solid var(--scalar-border-color); }
.site a { color: var(--scalar-color-2); text-decoration: none; }
.site a:hover { text-decoration: underline; }
`;

/** If a setting above is ever renamed, the browser still refuses other hosts. */
const ONLY_THIS_HOST =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";
