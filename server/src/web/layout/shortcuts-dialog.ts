import { type Html, html } from "../template/html.ts";
import type { Frame } from "./frame.ts";

/** The list that `?` opens. Without JavaScript nothing opens it. */
export const shortcutsDialog = ({ nav, search }: Frame): Html =>
  html`<dialog id="shortcuts" aria-labelledby="shortcuts-title"><h2 id="shortcuts-title">Keyboard shortcuts</h2><dl>${
    search && html`<div><dt><kbd>/</kbd></dt><dd>Search</dd></div>`
  }<div><dt><kbd>?</kbd></dt><dd>This list</dd></div>${nav
    .flatMap(({ links }) => links)
    .map(
      ({ key, label }) =>
        key !== undefined && html`<div><dt><kbd>g</kbd> <kbd>${key}</kbd></dt><dd>${label}</dd></div>`,
    )}</dl><form method="dialog"><button class="btn plain" type="submit">Close</button></form></dialog>`;
