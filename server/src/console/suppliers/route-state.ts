import { rehearse } from "../../db/rehearse.ts";
import { enableRoute } from "../../suppliers/overcharges/route-pauses.ts";
import type { ListedRouteRow, RoutePause } from "../../suppliers/route-queries.ts";
import { defineForm } from "../../web/form/define-form.ts";
import { hiddenField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { chip } from "../../web/parts/chip.ts";
import { moneyText } from "../../web/parts/money.ts";
import { stack } from "../../web/parts/panel.ts";
import { smallForm } from "../../web/parts/small-form.ts";
import { time } from "../../web/parts/time.ts";
import { twoLines } from "../../web/table/table.ts";
import { type Html, html } from "../../web/template/html.ts";
import { sayRefusal } from "../say-refusal.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace, may, provedBy } from "../session.ts";

/** A paused route is enabled on the page of its product and on that of its supplier. */
export function enableRoutePages(
  face: ConsoleFace,
  deps: ConsoleDeps,
  /** `products` or `suppliers`. The form names the other end of the route. */
  section: "products" | "suppliers",
  again: (ctx: ConsoleContext, error: string | undefined) => Promise<PageContent>,
): void {
  const keyOf = ({ params: { id: here = "" } }: ConsoleContext, id: string) =>
    section === "products" ? { productId: here, supplierId: id } : { productId: id, supplierId: here };
  face.action({
    path: `/${section}/:id/routes/enable`,
    permission: "suppliers.manage",
    form: defineForm({ id: hiddenField("Route") }),
    async does({ id }, ctx) {
      const key = keyOf(ctx, id);
      await sayRefusal(rehearse(deps, ({ db }) => enableRoute(db, deps.clock, key, byOf(ctx))));
      return `Enable the route of ${key.productId}. The next purchase can take it.`;
    },
    async run({ id }, ctx) {
      await sayRefusal(enableRoute(deps.db, deps.clock, keyOf(ctx, id), provedBy(ctx)));
      return redirect(
        `/${section}/${encodeURIComponent(ctx.params.id ?? "")}`,
        "The route is enabled. The next purchase can take it.",
      );
    },
    again: (state, ctx) => again(ctx, state.formError),
  });
}

/** Whether units are bought by a route now; of a paused one why not, and the button that ends it. */
export function routeState(
  route: ListedRouteRow,
  ctx: ConsoleContext,
  section: "products" | "suppliers",
): Html {
  const { productId, productName, supplierId, supplierName, supplierEnabled, pause } = route;
  if (!pause) return chip(supplierEnabled ? "enabled" : "disabled");
  const [here, id, label] =
    section === "products" ? [productId, supplierId, supplierName] : [supplierId, productId, productName];
  const enable = may(ctx, "suppliers.manage")
    ? smallForm(ctx, `/${section}/${encodeURIComponent(here)}/routes/enable`, id, "Enable", label)
    : undefined;
  return stack(twoLines(chip("paused", "bad"), sayPause(pause, ctx)), enable);
}

const sayPause = (
  { pausedAt, expectedMinor, chargedMinor, currency, orderId, lineIndex, unitIndex }: RoutePause,
  ctx: ConsoleContext,
): Html =>
  html`Charged ${moneyText(chargedMinor, currency)}, expected ${moneyText(expectedMinor, currency)}: <a class="link" href="/orders/${orderId}">line ${lineIndex + 1}, unit ${unitIndex + 1}</a> of an order, ${time(pausedAt, ctx.now)}.`;

/** The most that a unit may cost: by hand, or with the supplier's headroom. */
export function mostOf({
  costMinor,
  costCurrency,
  maxCostMinor,
  headroomBp,
}: ListedRouteRow): string | undefined {
  if (costMinor === null || costCurrency === null) return undefined;
  if (maxCostMinor !== null) return moneyText(maxCostMinor, costCurrency);
  const headroom = (costMinor * BigInt(headroomBp ?? 0)) / 10_000n;
  return headroom === 0n ? undefined : moneyText(costMinor + headroom, costCurrency);
}
