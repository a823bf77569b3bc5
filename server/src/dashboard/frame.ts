import { getReseller } from "../resellers/get-reseller.ts";
import type { ResellerRow } from "../resellers/queries.ts";
import type { Frame, NavLink, NavSection } from "../web/layout/frame.ts";
import { html } from "../web/template/html.ts";
import { href } from "../web/template/safe-url.ts";
import { listTroubledEndpoints } from "../webhooks/health/list-troubled.ts";
import {
  BASE,
  type DashboardContext,
  type DashboardDeps,
  environmentOf,
  here,
  placed,
  tenantOf,
} from "./session.ts";

const WEBHOOKS = `${BASE}/webhooks`;

/** `also`: pages of the section that do not lie below its path. */
type SectionLink = { label: string; path: string; key: string; also?: readonly string[] };

/** The sections at the side. A section that has no pages is left out. */
const SECTIONS: readonly {
  title?: string;
  links: readonly SectionLink[];
}[] = [
  {
    links: [
      { label: "Home", path: BASE, key: "h" },
      { label: "Catalog", path: `${BASE}/catalog`, key: "c" },
      { label: "Orders", path: `${BASE}/orders`, key: "o" },
      { label: "Wallet", path: `${BASE}/wallet`, key: "m" },
      { label: "Deposits", path: `${BASE}/deposits`, key: "d" },
    ],
  },
  {
    title: "Developers",
    links: [
      { label: "API keys", path: `${BASE}/keys`, key: "k" },
      { label: "Webhooks", path: WEBHOOKS, key: "w", also: [`${BASE}/deliveries`] },
      { label: "Requests", path: `${BASE}/requests`, key: "r" },
      { label: "Events", path: `${BASE}/events`, key: "e" },
      { label: "Encryption", path: `${BASE}/encryption`, key: "y" },
    ],
  },
  {
    title: "Organization",
    links: [
      { label: "Team", path: `${BASE}/team`, key: "t" },
      { label: "Activity", path: `${BASE}/activity`, key: "a" },
      { label: "Settings", path: `${BASE}/settings`, key: "s" },
    ],
  },
];

/** What is around every page: sections, search, environment and person. `paths` are those that have a page. */
export async function dashboardFrame(
  deps: Pick<DashboardDeps, "db">,
  paths: ReadonlySet<string>,
  ctx: DashboardContext,
): Promise<Frame> {
  const { session } = ctx;
  const [reseller, troubled] = await Promise.all([
    getReseller(deps.db, session.resellerId),
    listTroubledEndpoints(deps.db, tenantOf(ctx), ctx.now),
  ]);
  const mayLeave = !session.account.mustAddFactor;
  return {
    owner: reseller.name,
    home: here(ctx, BASE),
    nav: mayLeave ? navigation(paths, ctx, { [WEBHOOKS]: troubled.length }) : [],
    ...frozenBanner(reseller),
    ...(mayLeave && paths.has(`${BASE}/orders`) ? { search: searchOf(ctx) } : {}),
    ...(mayLeave ? { environment: environmentSwitch(paths, ctx) } : {}),
    person: {
      email: session.account.email,
      role: `${session.role} of ${reseller.name}`,
      links: [{ label: "Security", href: here(ctx, `${BASE}/security`) }],
      signOutAction: `${BASE}/sign-out`,
    },
  };
}

/** How many things wait for a person in a section. */
type Counts = Readonly<Record<string, number>>;

/** On every page, because no page places orders while it holds. */
const frozenBanner = ({ frozenAt, frozenReason }: ResellerRow): Pick<Frame, "banner"> =>
  frozenAt === null
    ? {}
    : {
        banner: {
          tone: "bad",
          text: html`<b>Frozen</b> The operator has frozen your account: new orders are refused. ${frozenReason ?? "Contact the operator."}`,
        },
      };

const navigation = (paths: ReadonlySet<string>, ctx: DashboardContext, counts: Counts): NavSection[] =>
  SECTIONS.map(({ title, links }) => ({
    ...(title === undefined ? {} : { title }),
    links: links
      .filter(({ path }) => paths.has(path))
      .map(
        ({ label, path, key, also = [] }): NavLink => ({
          label,
          key,
          also,
          href: here(ctx, path),
          count: counts[path] ?? 0,
        }),
      ),
  })).filter(({ links }) => links.length > 0);

const searchOf = (ctx: DashboardContext): NonNullable<Frame["search"]> => ({
  action: placed(ctx, `${BASE}/orders`),
  placeholder: "Search orders by id, reference or key",
  keep: environmentOf(ctx) === "test" ? { env: "test" } : {},
});

/** The same list in the other environment. What belongs to one environment does not exist in the other, so its list is shown. */
function environmentSwitch(
  paths: ReadonlySet<string>,
  ctx: DashboardContext,
): NonNullable<Frame["environment"]> {
  const [path = ""] = ctx.url.slice(ctx.base.length).split("?", 1);
  const first = `${BASE}/${path.split("/")[1] ?? ""}`;
  const section = placed(ctx, paths.has(first) ? first : BASE);
  return {
    current: environmentOf(ctx),
    liveHref: section,
    testHref: href(section, { env: "test" }),
  };
}
