import { MARK } from "../parts/icon.ts";
import { type Html, html } from "../template/html.ts";
import { htmlDocument, themeSwitch } from "./document.ts";
import type { PageContent, PageSetting } from "./frame.ts";
import { flashMessage } from "./framed-page.ts";

/** A page without a face around it: signing in, accepting an invitation, an error of someone who is not signed in. */
export const plainPage = (setting: PageSetting, content: PageContent, home = "/"): Html =>
  htmlDocument(
    "plain",
    content.title,
    setting,
    html`<a class="skip" href="#main">Skip to content</a>
<header class="plain-top"><a class="brand" href="${home}">${MARK}<span>Scrip</span></a></header>
<main id="main" tabindex="-1"><div id="flash" role="status">${flashMessage(setting.flash)}</div><h1>${content.heading ?? content.title}</h1>${
      content.subtitle === undefined ? undefined : html`<p class="sub">${content.subtitle}</p>`
    }${content.body}${content.actions === undefined ? undefined : html`<div class="row">${content.actions}</div>`}</main>
<footer class="plain-foot">${themeSwitch(setting)}</footer>`,
  );
