import type { Assets } from "../assets/create-assets.ts";
import type { Tone } from "../parts/chip.ts";
import type { Html, HtmlValue } from "../template/html.ts";
import type { Theme } from "./theme.ts";

/** What a page itself has to say. */
export type PageContent = {
  /** The heading, and before our name the title of the window. */
  title: string;
  /** In place of the title as the heading, such as an id with its copy button. */
  heading?: Html;
  subtitle?: HtmlValue;
  /** Buttons beside the heading, at most one of them `main`. */
  actions?: HtmlValue;
  /** The way up, without the page itself. */
  crumbs?: readonly { label: string; href: string }[];
  body: HtmlValue;
  /** The whole page is read again until it no longer says so: soon at first, and also under the pointer. */
  isMoving?: boolean;
};

/** What a face puts around its pages, for one session. */
export type Frame = {
  /** Below our name: the reseller, or "Operator console". */
  owner: string;
  home: string;
  nav: readonly NavSection[];
  /** Above every page: what holds for all of them, such as an account that is frozen. */
  banner?: { tone: Tone; text: HtmlValue; link?: { label: string; href: string } };
  search?: { action: string; placeholder: string; keep?: Readonly<Record<string, string>> };
  environment?: { current: "live" | "test"; liveHref: string; testHref: string };
  person: {
    email: string;
    role: string;
    links: readonly { label: string; href: string }[];
    signOutAction: string;
  };
};

export type NavSection = { title?: string; links: readonly NavLink[] };
export type NavLink = {
  label: string;
  href: string;
  /** Paths of other pages that belong to this section, without those below `href`. */
  also?: readonly string[];
  /** `g` and this letter lead there. */
  key?: string;
  /** How many things wait for a person there. */
  count?: number;
};

/** What every page gets from the kit itself. */
export type PageSetting = {
  /** Path and query of this page. */
  url: string;
  /** The server's time: relative times are counted from it, however wrong the browser's clock is. */
  now: Date;
  theme: Theme;
  /** Where a switch of the theme leads back to. */
  back: string;
  /** Where the form that switches the theme is sent. */
  themeAction: string;
  assets: Assets;
  /** The session's token for the forms of the frame. */
  token: string;
  flash: Flash | undefined;
};

/** One sentence about what was just done. It never holds a secret. */
export type Flash = { tone: Tone; text: string };
