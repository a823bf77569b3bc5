import type { FastifyInstance } from "fastify";
import { notFound } from "../../lib/problem.ts";
import { type Html, html } from "../template/html.ts";
import { PAGE_POLICY, page } from "./html.ts";

export type LandingDeps = {
  baseUrl: () => string;
  isReady: () => Promise<boolean>;
  hasDashboard: boolean;
};

/** A page that hangs tells less than one that says the database did not answer. */
const READY_TIMEOUT_MS = 2_000;

/** `/` tells a person what this server is. An API client gets problem+json there, as at any path without an operation. */
export function serveLanding(app: FastifyInstance, deps: LandingDeps): void {
  app.get("/", async (request, reply) => {
    reply.header("vary", "accept");
    if (!wantsHtml(request.headers.accept)) throw notFound();
    const isUp = await within(READY_TIMEOUT_MS, deps.isReady());
    return reply
      .type("text/html; charset=utf-8")
      .header("content-security-policy", PAGE_POLICY)
      .header("cache-control", "no-store")
      .send(page("Gift cards and top-ups by API", landing(deps, isUp), STYLE));
  });
}

// Browsers name text/html. The "any type" of curl and most other clients is not a wish for a page.
const wantsHtml = (accept: string | undefined): boolean =>
  (accept ?? "").split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    return type === "text/html" && !parameters.some((one) => /^q=0(\.0*)?$/.test(one));
  });

function within(ms: number, answer: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  return Promise.race([answer.catch(() => false), late]).finally(() => clearTimeout(timer));
}

const landing = ({ baseUrl, hasDashboard }: LandingDeps, isUp: boolean): Html => html`<h1>Scrip</h1>
<p class="lead">Sell gift cards and game top-ups from your own systems: one API for the catalog, a prepaid wallet, orders and signed webhooks.</p>
<ul class="cards">
${hasDashboard ? card("/dashboard", "Dashboard", "Orders, wallet, API keys, webhooks and your team.") : undefined}
${card("/docs/guides/", "Guides", "From the first request to going live, step by step.")}
${card("/docs/", "API reference", "Every operation, with examples.")}
${card("/errors", "Errors", "What each error code means, and what to do.")}
</ul>
<h2>Sandbox</h2>
<p>${
  isUp
    ? html`<span class="state up">Available</span> Test keys start with <code>sc_test_</code>. They spend no money and deliver test codes.`
    : html`<span class="state down">Unavailable</span> The service cannot reach its database. Try again in a moment.`
}</p>
<pre><code>curl -H "X-API-Key: $SCRIP_TEST_KEY" ${baseUrl()}/v1/catalog</code></pre>
<p>${hasDashboard ? html`Create a key in the <a href="/dashboard/keys?env=test">dashboard</a>.` : "Ask the operator for a key."} The guide <a href="/docs/guides/quickstart">Quickstart</a> continues from there.</p>`;

const card = (path: string, title: string, about: string): Html =>
  html`<li><a href="${path}"><strong>${title}</strong><span>${about}</span></a></li>
`;

const STYLE = `
.lead { font-size: 1.15rem; max-width: 38rem; }
.cards { list-style: none; margin: 1.8rem 0 0; padding: 0; display: grid; gap: 0.8rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); }
.cards a { display: grid; align-content: start; gap: 0.2rem; height: 100%; box-sizing: border-box; padding: 0.9rem 1.1rem; border: 1px solid var(--line); border-radius: 8px; }
.cards a:hover { text-decoration: none; border-color: var(--link); }
.cards span { color: var(--quiet); font-size: 0.92rem; }
.state { display: inline-block; margin-right: 0.5rem; padding: 0 0.6rem; border-radius: 999px; font-size: 0.9rem; font-weight: 600; }
.state::before { content: "● "; }
.up { color: #14662f; background: #e2f5e8; }
.down { color: #9c1f1f; background: #fde8e8; }
@media (prefers-color-scheme: dark) { .up { color: #8fe0ab; background: #12331f; } .down { color: #ffb4b4; background: #421919; } }
pre { margin: 0.8rem 0; padding: 0.8rem 1rem; border-radius: 8px; background: var(--soft); overflow-x: auto; }
pre code { padding: 0; background: none; overflow-wrap: normal; }
`;
