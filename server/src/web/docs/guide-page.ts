import { type Html, html, trustedHtml } from "../template/html.ts";
import { page, text } from "./html.ts";
import type { Guide } from "./read-guides.ts";

/** One guide, with links to the others. */
export function guidePage(guides: readonly Guide[], guide: Guide, rendered: string): string {
  const place = guides.indexOf(guide);
  return page(
    `${guide.title} · Guides`,
    html`${guideLinks(guides, { guide, rendered })}
<article>
${trustedHtml(rendered)}<footer>${neighbour("Before", guides[place - 1])}${neighbour("Next", guides[place + 1])}<span>This page as <a href="${`/docs/guides/${guide.name}.md`}">Markdown</a></span></footer>
</article>`,
    STYLE,
  );
}

export const guideIndexPage = (guides: readonly Guide[]): string =>
  page(
    "Guides",
    html`${guideLinks(guides, undefined)}
<article>
<h1>Guides</h1>
<p>For engineers who connect a shop to this API. Our tests run every command and program in these guides exactly as shown.</p>
<dl>
${guides.map(({ name, title, summary }) => html`<dt><a href="/docs/guides/${name}">${text(title)}</a></dt><dd>${text(summary)}</dd>`)}
</dl>
<p>The <a href="/docs/">API reference</a> documents every operation, field and error. It is also available as <a href="/openapi.json">OpenAPI 3.1</a>. Each error code has <a href="/errors">its own page</a>.</p>
</article>`,
    STYLE,
  );

/** Links to all guides, with the sections of the open one below it. */
function guideLinks(guides: readonly Guide[], open: { guide: Guide; rendered: string } | undefined): Html {
  const link = ({ name, title }: Guide): Html =>
    name === open?.guide.name
      ? html`<li><a href="/docs/guides/${name}" aria-current="page">${text(title)}</a>${sectionLinks(open.rendered)}</li>`
      : html`<li><a href="/docs/guides/${name}">${text(title)}</a></li>`;
  return html`<nav class="guides" aria-label="Guides"><ul>${guides.map(link)}</ul></nav>`;
}

/** A section's heading already links to itself. */
function sectionLinks(rendered: string): Html {
  const links = rendered.matchAll(/<h2 [^>]*>(<a .*?<\/a>)<\/h2>/g);
  return html`<ul>${[...links].map(([, link = ""]) => html`<li>${trustedHtml(link)}</li>`)}</ul>`;
}

const neighbour = (word: string, guide: Guide | undefined): Html | undefined =>
  guide && html`<span>${word}: <a href="/docs/guides/${guide.name}">${text(guide.title)}</a></span>`;

const STYLE = `
:root { --comment: #5f6b76; --string: #0a6b3d; --word: #8a2f8a; --number: #9a4a00; }
@media (prefers-color-scheme: dark) { :root { --comment: #93a1ad; --string: #7fd6a4; --word: #dda0dd; --number: #ffb86b; } }
main { max-width: 64rem; display: grid; grid-template-columns: 11rem minmax(0, 1fr); gap: 0 3rem; }
nav.guides { border: 0; padding: 0; display: block; }
nav.guides ul { list-style: none; margin: 1.3rem 0 0; padding: 0; position: sticky; top: 1.3rem; max-height: calc(100vh - 2.6rem); overflow-y: auto; }
nav.guides li { margin: 0 0 0.35rem; }
nav.guides ul ul { position: static; max-height: none; margin: 0.35rem 0 0.8rem; padding-left: 0.8rem; border-left: 1px solid var(--line); font-size: 0.85rem; }
nav.guides [aria-current] { color: inherit; font-weight: 600; }
@media (max-width: 48rem) {
  main { grid-template-columns: minmax(0, 1fr); padding-top: 0.5rem; }
  nav.guides ul ul { display: none; }
  nav.guides ul { display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; margin: 0.5rem 0 0; position: static; max-height: none; font-size: 0.9rem; }
}
h2 { font-size: 1.25rem; margin: 2.4rem 0 0.4rem; }
h3 { font-size: 1.05rem; margin: 1.8rem 0 0.3rem; }
h2 a, h3 a { color: inherit; }
h2 a:hover::after, h3 a:hover::after { content: " #"; color: var(--quiet); }
h2, h3 { scroll-margin-top: 1rem; }
dt { margin-top: 1.2rem; font-weight: 600; }
dd { margin: 0.1rem 0 0; }
figure { margin: 1rem 0; }
figure.answer { margin-top: -0.4rem; }
figcaption { font-size: 0.8rem; color: var(--quiet); margin-bottom: 0.2rem; }
pre { margin: 0; padding: 0.8rem 1rem; border: 1px solid var(--line); border-radius: 6px; background: var(--soft); overflow-x: auto; line-height: 1.5; }
figure.answer pre { background: none; }
pre code { padding: 0; background: none; font-size: 0.85rem; overflow-wrap: normal; }
.comment { color: var(--comment); } .string { color: var(--string); } .word { color: var(--word); } .number { color: var(--number); }
.wide { overflow-x: auto; }
.wide table { margin-top: 0.8rem; font-size: 0.95rem; }
.wide code { overflow-wrap: normal; }
footer { display: flex; flex-wrap: wrap; gap: 0.3rem 1.5rem; }
footer :last-child { margin-left: auto; }
`;
