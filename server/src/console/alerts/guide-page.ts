import { readFile } from "node:fs/promises";
import { GUIDES_FOLDER, OPERATOR_GUIDE_NAME } from "../../web/docs/read-guides.ts";
import { renderGuide } from "../../web/docs/render-guide.ts";
import { type Html, html } from "../../web/template/html.ts";
import type { ConsoleFace } from "../session.ts";

export const GUIDE_PATH = "/guide";

/** The operator's guide, with a section for each kind of alert. Rendered once, when it is first asked for. */
export function guidePages(face: ConsoleFace): void {
  let rendered: Promise<Html> | undefined;
  face.page({
    path: GUIDE_PATH,
    permission: "alerts.read",
    load: () => {
      rendered ??= readGuide().catch((error) => {
        rendered = undefined;
        throw error;
      });
      return rendered;
    },
    render: (guide) => ({
      title: "Operator's guide",
      crumbs: [{ label: "Alerts", href: "/alerts" }],
      body: html`<article class="panel"><div class="body"><div class="prose">${guide}</div></div></article>`,
    }),
  });
}

/** The page has its own heading, links into the checkout lead nowhere here, and pictures of the console are for readers elsewhere. */
async function readGuide(): Promise<Html> {
  const markdown = await readFile(new URL(`${OPERATOR_GUIDE_NAME}.md`, GUIDES_FOLDER), "utf8");
  return renderGuide(
    markdown
      .replace(/^# .*\n/, "")
      .replaceAll(/^!\[.*\n\n/gm, "")
      .replaceAll(/\[([^\]]+)\]\(\.\.\/([\w./-]+)[^)]*\)/g, "$1 (docs/$2)"),
  );
}
