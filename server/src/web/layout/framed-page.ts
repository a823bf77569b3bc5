import { hiddenFields } from "../form/hidden-fields.ts";
import { icon, MARK } from "../parts/icon.ts";
import { attrs, type Html, html } from "../template/html.ts";
import { htmlDocument, themeSwitch } from "./document.ts";
import type { Flash, Frame, NavLink, PageContent, PageSetting } from "./frame.ts";
import { pageHead } from "./page-head.ts";
import { shortcutsDialog } from "./shortcuts-dialog.ts";

/** A page inside its face: sections at the side, search, environment and person above it. */
export const framedPage = (frame: Frame, setting: PageSetting, content: PageContent): Html =>
  htmlDocument(
    "framed",
    content.title,
    setting,
    html`<a class="skip" href="#main">Skip to content</a>
<div id="strip" up-hungry>${frame.environment?.current === "test" ? TEST_STRIP : undefined}</div>
${side(frame, setting)}
<div class="column">
${topBar(frame, setting)}
<div id="banner" up-hungry>${bannerOf(frame)}</div>
<div id="flash" up-hungry role="status">${flashMessage(setting.flash)}</div>
<main id="main" class="page" tabindex="-1"${attrs({ "up-poll": content.isMoving, "data-moving": content.isMoving })}>${pageHead(content)}${content.body}</main>
</div>
${shortcutsDialog(frame)}`,
  );

const TEST_STRIP = html`<p class="test-strip"><b>Test data</b> Nothing here moves money or buys a real code.</p>`;

const bannerOf = ({ banner }: Frame): Html | undefined =>
  banner &&
  html`<p class="banner ${banner.tone}">${banner.text}${banner.link && html` <a href="${banner.link.href}">${banner.link.label}</a>`}</p>`;

export const flashMessage = (flash: Flash | undefined): Html | undefined =>
  flash && html`<p class="flash ${flash.tone}">${flash.text}</p>`;

/** At the side of a wide screen; on a narrow one it opens over the page, by the browser's own means. */
const side = (frame: Frame, { url }: PageSetting): Html => {
  const current = currentLink(frame, url);
  return html`<div id="side" class="side" popover>
<a class="brand" href="${frame.home}">${MARK}<span>Scrip<small>${frame.owner}</small></span></a>
<nav id="sections" aria-label="Sections" up-hungry>${frame.nav.map(
    ({ title, links }) =>
      html`<div class="section">${title === undefined ? undefined : html`<h2>${title}</h2>`}<ul>${links.map((link) => navLink(link, link === current))}</ul></div>`,
  )}</nav></div>`;
};

const navLink = ({ label, href, count, key }: NavLink, isCurrent: boolean): Html =>
  html`<li><a href="${href}"${attrs({ "aria-current": isCurrent ? "page" : undefined, "data-key": key })}><span>${label}</span>${
    count === undefined || count === 0
      ? undefined
      : html` <b>${count > COUNT_MAX ? `${COUNT_MAX}+` : count}<span class="hidden"> need attention</span></b>`
  }</a></li>`;

const COUNT_MAX = 99;

const pathOf = (url: string): string => url.split(/[?#]/, 1)[0] ?? "";

/** The link to this page or to what it belongs to. Everything lies below the home page, which is current alone. */
function currentLink({ nav, home }: Frame, url: string): NavLink | undefined {
  const path = pathOf(url);
  return nav
    .flatMap(({ links }) => links)
    .filter(({ href, also = [] }) => {
      const to = pathOf(href);
      const below = [...(to === pathOf(home) ? [] : [to]), ...also];
      return path === to || below.some((one) => path === one || path.startsWith(`${one}/`));
    })
    .toSorted((a, b) => pathOf(b.href).length - pathOf(a.href).length)[0];
}

const topBar = (frame: Frame, setting: PageSetting): Html =>
  html`<header class="top"><button class="menu-button" type="button" popovertarget="side" aria-label="Sections">${icon("menu")}</button>${search(frame)}<div id="environment" up-hungry>${environmentSwitch(frame)}</div>${personMenu(frame, setting)}</header>`;

const search = ({ search: options }: Frame): Html =>
  options === undefined
    ? html`<span class="search-room"></span>`
    : html`<form class="search" method="get" action="${options.action}" role="search">${icon("search")}<input type="search" name="q" data-search aria-label="Search" placeholder="${options.placeholder}" maxlength="255" autocomplete="off" spellcheck="false"><kbd aria-hidden="true">/</kbd><span id="search-keep" up-hungry>${Object.entries(
        options.keep ?? {},
      ).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}</span></form>`;

function environmentSwitch({ environment }: Frame): Html | undefined {
  if (environment === undefined) return undefined;
  const { current, liveHref, testHref } = environment;
  return html`<nav class="switch" aria-label="Environment"><a href="${liveHref}"${attrs({ "aria-current": current === "live" ? "true" : undefined })}>Live</a><a href="${testHref}"${attrs({ "aria-current": current === "test" ? "true" : undefined })}>Test</a></nav>`;
}

const personMenu = ({ person }: Frame, setting: PageSetting): Html =>
  html`<details class="person"><summary><span class="hidden">Account </span><span class="email">${person.email}</span><i aria-hidden="true">${[...person.email][0]?.toUpperCase()}</i></summary><div id="person" class="menu" up-hungry><p><b>${person.email}</b><small>${person.role}</small></p>${person.links.map(
    ({ label, href }) => html`<a href="${href}">${label}</a>`,
  )}${themeSwitch(setting)}<form method="post" action="${person.signOutAction}" data-plain>${hiddenFields({ token: setting.token })}<button class="menu-item" type="submit">Sign out</button></form></div></details>`;
