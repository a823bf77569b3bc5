import { problemTable } from "../../lib/problem-table.ts";
import type { RequestDetailView } from "../../requests/schemas.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { httpChip } from "../../web/parts/chip.ts";
import { codeBlock } from "../../web/parts/code-block.ts";
import { idText } from "../../web/parts/copy.ts";
import { countText } from "../../web/parts/money.ts";
import { columns, facts, panel, stack } from "../../web/parts/panel.ts";
import { exactly } from "../../web/parts/time.ts";
import { type Html, html } from "../../web/template/html.ts";
import { type DashboardContext, here } from "../session.ts";
import { type KeyName, keyOf, REQUESTS } from "./render-requests.ts";

/** One request with the body of its error. */
export const renderRequest = (
  request: RequestDetailView,
  keys: ReadonlyMap<string, KeyName>,
  ctx: DashboardContext,
): PageContent => ({
  title: request.id,
  heading: idText(request.id),
  crumbs: [{ label: "Requests", href: here(ctx, REQUESTS) }],
  subtitle: html`${httpChip(request.status)} <code class="wrapping">${request.method} ${request.path}</code>`,
  body: columns(
    stack(errorPanel(request)),
    panel(
      { title: "Request" },
      facts([
        ["Time", exactly(new Date(request.createdAt))],
        ["Key", keyOf(request, keys)],
        ["Address", html`<span class="id">${request.address}</span>`],
        ["Latency", `${countText(request.durationMs)} ms`],
      ]),
    ),
  ),
});

function errorPanel({ error, errorCode, status }: RequestDetailView): Html {
  if (errorCode === undefined)
    return panel(
      { title: "Answer" },
      html`<p>${status < 400 ? "The request succeeded." : "The answer had no error body."} Bodies of requests and of successful answers are not kept.</p>`,
    );
  return panel(
    { title: errorCode, aside: html`<a class="link" href="/errors/${errorCode}">What it means</a>` },
    html`${remedy(errorCode)}${
      error
        ? codeBlock("Body of the error", JSON.stringify(error, null, 2), JSON.stringify(error))
        : html`<p class="quiet">The body of this error was too large to keep.</p>`
    }`,
  );
}

/** What to do about it, where the code is one that we know. */
function remedy(code: string): Html | undefined {
  const kind = Object.hasOwn(problemTable, code)
    ? problemTable[code as keyof typeof problemTable]
    : undefined;
  return kind && html`<p>${kind.remedy.replaceAll("`", "")}</p>`;
}
