import Fastify, { type FastifyInstance } from "fastify";
import { SITE_LINKS } from "./html.ts";
import { ICON_LINKS } from "./icons.ts";

/**
 * `/docs`: the API reference. Everything that would ask another host for something is switched off. The page's library
 * is loaded when somebody first looks: it is several megabytes, and most API processes never show it.
 */
export function serveReference(app: FastifyInstance): void {
  let rendered: Promise<Rendered> | undefined;
  const render = (): Promise<Rendered> => {
    // What failed once is tried again by the next who looks.
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

/** The library speaks Fastify alone, so it is asked through an app of its own that never listens. */
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
      // The whole API at a glance: there are few enough operations for that.
      defaultOpenAllTags: true,
      customCss: HEADER_STYLE,
    },
  });
  const [page, script] = await Promise.all([pages.inject("/docs/"), pages.inject(`/docs/${SCRIPT}`)]);
  await pages.close();
  return { page: withHeader(page.body), script: script.body };
}

/** Our icon, and the way to the guides and the errors above a page that knows of neither. */
function withHeader(html: string): string {
  const body = /<body[^>]*>/.exec(html)?.[0];
  if (body === undefined || !html.includes("</head>"))
    throw new Error("the page of the API reference has no head or body to put the header into");
  return html
    .replace("</head>", `${ICON_LINKS}</head>`)
    .replace(body, `${body}<nav class="site" aria-label="Scrip">${SITE_LINKS}</nav>`);
}

/** The library leaves room above for a header of this height, and its colours follow light and dark. */
const HEADER_STYLE = `
:root { --scalar-custom-header-height: 44px; }
.site { position: sticky; top: 0; z-index: 10; box-sizing: border-box; height: 44px; display: flex; gap: 1.5rem; align-items: center;
  padding: 0 1.5rem; font: 15px system-ui, sans-serif; color: var(--scalar-color-1); background: var(--scalar-background-1);
  border-bottom: 1px solid var(--scalar-border-color); }
.site a { color: var(--scalar-color-2); text-decoration: none; }
.site a:hover { text-decoration: underline; }
`;

/** Should a setting above ever be renamed, the browser itself still refuses other hosts. */
const ONLY_THIS_HOST =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";
