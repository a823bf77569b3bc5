import type { Frame, NavLink, NavSection } from "../web/layout/frame.ts";
import { environmentOf, here } from "../web/pages/here.ts";
import { href } from "../web/template/safe-url.ts";
import type { ConsoleContext } from "./session.ts";

type Section = {
  label: string;
  path: string;
  /** `g` and this letter lead there. */
  key: string;
  /** Its pages are about one environment, which the switch above them chooses. */
  isByEnvironment?: true;
  /** What its pages are about exists in both environments. */
  hasBoth?: true;
};

/** The sections at the side. One without a page, or that the role may not read, is left out. */
const SECTIONS: readonly { title?: string; sections: readonly Section[] }[] = [
  {
    sections: [
      { label: "Overview", path: "/", key: "h", isByEnvironment: true },
      { label: "Orders", path: "/orders", key: "o", isByEnvironment: true },
      { label: "Unknown outcomes", path: "/unknown", key: "u" },
      { label: "Stuck", path: "/stuck", key: "k", isByEnvironment: true },
    ],
  },
  {
    title: "Business",
    sections: [
      { label: "Resellers", path: "/resellers", key: "r", isByEnvironment: true, hasBoth: true },
      { label: "Money", path: "/money", key: "m", isByEnvironment: true },
      { label: "Deposits", path: "/deposits", key: "d", isByEnvironment: true },
      { label: "Reports", path: "/reports", key: "e", isByEnvironment: true },
      { label: "Reconciliations", path: "/reconciliations", key: "n" },
    ],
  },
  {
    title: "Goods",
    sections: [
      { label: "Products", path: "/products", key: "p" },
      { label: "Prices", path: "/prices", key: "c" },
      { label: "Not for sale", path: "/not-for-sale", key: "n" },
      { label: "Suppliers", path: "/suppliers", key: "l" },
      { label: "Stock", path: "/stock", key: "t" },
    ],
  },
  {
    title: "Operations",
    sections: [
      { label: "Alerts", path: "/alerts", key: "w" },
      { label: "Jobs", path: "/jobs", key: "j" },
      { label: "System", path: "/system", key: "y" },
    ],
  },
  {
    title: "Organization",
    sections: [
      { label: "Staff", path: "/staff", key: "s" },
      { label: "Activity", path: "/activity", key: "a" },
    ],
  },
];

/** How many things wait for a person, by the path of their section. */
export type NavCounts = Readonly<Record<string, number>>;

/** What is around every page of the console. `paths` are those that have a page and that this role may read. */
export function consoleFrame(paths: ReadonlySet<string>, ctx: ConsoleContext, counts: NavCounts = {}): Frame {
  const { account, role } = ctx.session;
  const mayLeave = !account.mustAddFactor;
  return {
    owner: "Operator console",
    home: here(ctx, "/"),
    nav: mayLeave ? navigation(paths, counts, ctx) : [],
    ...(mayLeave && paths.has("/search") ? { search: SEARCH } : {}),
    ...(mayLeave ? environmentSwitch(ctx) : {}),
    person: {
      email: account.email,
      role: `${role}, staff`,
      links: [{ label: "Security", href: here(ctx, "/security") }],
      signOutAction: "/sign-out",
    },
  };
}

const SEARCH = { action: "/search", placeholder: "Search by id, reference, email, product or code" };

const navigation = (paths: ReadonlySet<string>, counts: NavCounts, ctx: ConsoleContext): NavSection[] =>
  SECTIONS.map(({ title, sections }) => ({
    ...(title === undefined ? {} : { title }),
    links: sections
      .filter(({ path }) => paths.has(path))
      .map(
        ({ label, path, key }): NavLink => ({ label, key, href: here(ctx, path), count: counts[path] ?? 0 }),
      ),
  })).filter(({ links }) => links.length > 0);

/** Only where the section is about one environment. The other one is shown by its list where it does not have the same objects. */
function environmentSwitch(ctx: ConsoleContext): Pick<Frame, "environment"> {
  const [path = "/"] = ctx.url.split("?", 1);
  const first = `/${path.split("/")[1] ?? ""}`;
  const section = SECTIONS.flatMap(({ sections }) => sections).find((one) => one.path === first);
  if (!section?.isByEnvironment) return {};
  const other = section.hasBoth ? path : section.path;
  return {
    environment: {
      current: environmentOf(ctx),
      liveHref: other,
      testHref: href(other, { env: "test" }),
    },
  };
}
