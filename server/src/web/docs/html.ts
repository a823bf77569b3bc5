import { escapeHtml } from "../template/escape-html.ts";
import { type Html, html, renderHtml, trustedHtml } from "../template/html.ts";
import { ICON_LINKS } from "./icons.ts";

/** Plain text as HTML; words in backticks become code. */
export const text = (plain: string): Html =>
  trustedHtml(escapeHtml(plain).replaceAll(/`([^`]+)`/g, "<code>$1</code>"));

/** The same on every page, so that every page is one click from the others. */
export const SITE_LINKS =
  '<a href="/"><strong>Scrip</strong></a><a href="/docs/guides/">Guides</a><a href="/docs/">API reference</a><a href="/errors">Errors</a>';

/** A page that loads nothing from other hosts, and only its icon from ours. */
export const page = (title: string, body: Html, moreStyle = ""): string =>
  renderHtml(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${trustedHtml(ICON_LINKS)}
<title>${text(title)} · Scrip</title>
${trustedHtml(`<style>${STYLE}${moreStyle}</style>`)}
</head>
<body>
<nav aria-label="Scrip">${trustedHtml(SITE_LINKS)}</nav>
<main>
${body}
</main>
</body>
</html>
`);

/** What these pages can load, enforced by the browser: their own styles and icon. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const STYLE = `
:root { color-scheme: light dark; --line: #8883; --soft: #8881; --quiet: #5f5f5f; --link: #0a66c2; }
@media (prefers-color-scheme: dark) { :root { --quiet: #999; --link: #6cb2ff; } }
body { font: 16px/1.6 system-ui, sans-serif; margin: 0; }
nav { display: flex; flex-wrap: wrap; gap: 0.2rem 1.5rem; padding: 0.8rem 1.5rem; border-bottom: 1px solid var(--line); }
main { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1.5rem 4rem; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 1rem 0 0.5rem; }
h2 { font-size: 1.05rem; margin: 2rem 0 0.3rem; }
p { margin: 0.5rem 0; }
code { font-family: ui-monospace, monospace; font-size: 0.9em; padding: 0.1em 0.3em; border-radius: 4px; background: var(--soft); overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; margin-top: 1.5rem; }
th { font-weight: 600; font-size: 0.85rem; color: var(--quiet); }
th, td { text-align: left; vertical-align: top; padding: 0.45rem 1rem 0.45rem 0; border-bottom: 1px solid var(--line); }
footer { margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--quiet); }
`;
