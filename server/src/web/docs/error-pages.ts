import type { FastifyInstance, FastifyReply } from "fastify";
import { notFound } from "../../lib/problem.ts";
import { type ProblemCode, problemCodes, problemTable } from "../../lib/problem-table.ts";
import { type Html, html } from "../template/html.ts";
import { PAGE_POLICY, page, text } from "./html.ts";

/** `/errors/{code}`, the target of every error's `type`, and an index of all errors. */
export function errorPages(app: FastifyInstance): void {
  app.get("/errors", (_request, reply) => sendPage(reply, indexPage()));
  app.get<{ Params: { code: string } }>("/errors/:code", (request, reply) => {
    const code = problemCodes.find((known) => known === request.params.code);
    if (!code) throw notFound();
    return sendPage(reply, errorPage(code));
  });
}

const sendPage = (reply: FastifyReply, body: string): FastifyReply =>
  reply.type("text/html; charset=utf-8").header("content-security-policy", PAGE_POLICY).send(body);

const indexPage = (): string =>
  page(
    "Errors",
    html`<h1>Errors</h1>
<p>Every error is <code>application/problem+json</code>. Branch on <code>code</code>; handle an unknown code by its HTTP status. The guide <a href="/docs/guides/errors">Errors and retries</a> explains which requests to retry, and when.</p>
<table><thead><tr><th>Status</th><th>Code</th><th>Title</th></tr></thead><tbody>
${problemCodes.toSorted((a, b) => problemTable[a].status - problemTable[b].status).map(indexRow)}
</tbody></table>`,
    INDEX_STYLE,
  );

/** A code stays on one line. Only a narrow screen breaks it, after an underscore. */
const INDEX_STYLE = `
td code { overflow-wrap: normal; }
@media (max-width: 40rem) { th, td { padding-right: 0.5rem; } td { font-size: 0.9rem; } }
@media (min-width: 40rem) { td code { white-space: nowrap; } td wbr { display: none; } }
`;

const indexRow = (code: ProblemCode): Html =>
  html`<tr><td>${problemTable[code].status}</td><td><a href="/errors/${code}"><code>${breakable(code)}</code></a></td><td>${text(problemTable[code].title)}</td></tr>
`;

const breakable = (code: ProblemCode): Html[] =>
  code.split("_").map((part, index) => (index === 0 ? html`${part}` : html`_<wbr>${part}`));

function errorPage(code: ProblemCode): string {
  const { status, title, meaning, remedy } = problemTable[code];
  return page(
    `${code} · Errors`,
    html`<h1>${text(title)}</h1>
<p>HTTP ${status} · <code>${code}</code></p>
<h2>What it means</h2><p>${text(meaning)}</p>
<h2>What to do</h2><p>${text(remedy)}</p>
<footer>The <code>request_id</code> in the response identifies the request in the server's log. See also <a href="/docs/guides/errors">errors and retries</a>.</footer>`,
  );
}
