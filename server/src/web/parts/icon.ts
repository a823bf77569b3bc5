import { type Html, trustedHtml } from "../template/html.ts";

const PATHS = {
  copy: '<rect x="5.5" y="5.5" width="8" height="8" rx="1.5"/><path d="M10.5 3v-.5a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v7a1 1 0 0 0 1 1H3"/>',
  search: '<circle cx="7" cy="7" r="4.5"/><path d="m10.5 10.5 3.5 3.5"/>',
  menu: '<path d="M2 4h12M2 8h12M2 12h12"/>',
  download: '<path d="M8 2v8m0 0 3-3m-3 3-3-3M2.5 13.5h11"/>',
  left: '<path d="m9.5 3.5-4.5 4.5 4.5 4.5"/>',
  right: '<path d="m6.5 3.5 4.5 4.5-4.5 4.5"/>',
  check: '<path d="m3 8.5 3.5 3.5L13 4.5"/>',
} as const;

export type IconName = keyof typeof PATHS;

/** A small drawing beside words; never the only carrier of a meaning. */
export const icon = (name: IconName): Html => ICONS[name];

const draw = (paths: string): Html =>
  trustedHtml(
    `<svg class="icon" viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${paths}</svg>`,
  );

const ICONS = Object.fromEntries(
  Object.entries(PATHS).map(([name, paths]) => [name, draw(paths)]),
) as unknown as Readonly<Record<IconName, Html>>;

/** The ticket beside our name. */
export const MARK: Html = trustedHtml(
  '<svg class="mark" viewBox="0 0 24 24" width="22" height="22" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round" aria-hidden="true"><path d="M3 7.5A1.5 1.5 0 0 1 4.5 6h15A1.5 1.5 0 0 1 21 7.5v2a2.5 2.5 0 0 0 0 5v2a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 16.5v-2a2.5 2.5 0 0 0 0-5z"/><path d="M15 9.5v1M15 13.5v1"/></svg>',
);
