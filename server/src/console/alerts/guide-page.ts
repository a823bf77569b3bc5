import { readFile } from "node:fs/promises";
import { GUIDES_FOLDER, OPERATOR_GUIDE_NAME } from "../../web/docs/read-guides.ts";
import { createGuideRenderer } from "../../web/docs/render-guide.ts";
import { html, trustedHtml } from "../../web/template/html.ts";
import type { ConsoleFace } from "../session.ts";

export const GUIDE_PATH = "/guide";

/** The operator's guide, with a section for each kind of alert. Rendered once, when it is first asked for. */
export function guidePages(face: ConsoleFace): void {
  let rendered: Promise<string> | undefined;
  face.page({
    path: GUIDE_PATH,
    permission: "alerts.read",
    load: () => {
      rendered ??= renderGuide().catch((error) => {
        rendered = undefined;
        throw error;
      });
      return rendered;
    },
    render: (guide) => ({
      title: "Operator's guide",
      crumbs: [{ label: "Alerts", href: "/alerts" }],
      body: html`<article class="panel"><div class="body"><div class="prose">${trustedHtml(guide)}</div></div></article>`,
    }),
  });
}

/** The page has its own heading, and links into the checkout lead nowhere here. */
async function renderGuide(): Promise<string> {
  const [markdown, toHtml] = await Promise.all([
    readFile(new URL(`${OPERATOR_GUIDE_NAME}.md`, GUIDES_FOLDER), "utf8"),
    createGuideRenderer(),
  ]);
  return toHtml(
    markdown.replace(/^# .*\n/, "").replaceAll(/\[([^\]]+)\]\(\.\.\/([\w./-]+)[^)]*\)/g, "$1 (docs/$2)"),
  );
}
