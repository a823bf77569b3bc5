import { attrs, type Html, type HtmlValue, html } from "../template/html.ts";
import type { PageSetting } from "./frame.ts";

export type FrameKind = "framed" | "plain";

/** What a page has around it. An answer with another name replaces the whole page, not a part of it. */
export const frameName = (kind: FrameKind, assets: PageSetting["assets"]): string =>
  `${kind} ${assets.version}`;

/**
 * The document around every page. Scripts are deferred modules, so nothing waits for them. The first paint waits for the
 * end of the page: the columns of a table move as long as its rows arrive.
 */
export const htmlDocument = (
  kind: FrameKind,
  title: string,
  { theme, assets, now }: PageSetting,
  body: HtmlValue,
): Html => html`<!doctype html>
<html lang="en"${attrs({ "data-theme": theme === "system" ? undefined : theme, "data-frame": frameName(kind, assets), "data-now": now.toISOString() })}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${theme === "system" ? "light dark" : theme}">
<title>${title} · Scrip</title>
<link rel="icon" href="/favicon.ico" sizes="32x32"><link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="expect" href="#end" blocking="render">
<link rel="stylesheet" href="${assets.css.path}" up-asset>
<script src="${assets.unpoly.path}" defer up-asset></script>
<script type="module" src="${assets.js.path}" up-asset></script>
</head>
<body class="${kind}">
${body}
<span id="end" hidden></span>
</body>
</html>
`;

/** Three buttons of one form: the choice is a cookie, and works without JavaScript. */
export const themeSwitch = ({ theme, themeAction, back }: PageSetting): Html =>
  html`<form class="themes" method="post" action="${themeAction}" data-themes><input type="hidden" name="back" value="${back}"><span id="theme-label">Theme</span><span class="switch" role="group" aria-labelledby="theme-label">${THEME_LABELS.map(
    ([name, label]) =>
      html`<button type="submit" name="theme" value="${name}"${attrs({ "aria-pressed": String(name === theme) })}>${label}</button>`,
  )}</span></form>`;

const THEME_LABELS = [
  ["system", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const;
