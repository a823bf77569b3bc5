import type { OrderAction } from "../../fulfilment/operate/order-actions.ts";
import { ORDER_ACTIONS } from "../../fulfilment/operate/order-actions.ts";
import type { UnitRef } from "../../fulfilment/operate/unit-choice.ts";
import { here } from "../../web/pages/here.ts";
import type { ConsoleContext } from "../session.ts";

export const ORDERS_PATH = "/orders";
export const UNKNOWN_PATH = "/unknown";
export const STUCK_PATH = "/stuck";

type Asked = Pick<ConsoleContext, "query">;

export const orderHref = (ctx: Asked, id: string): string =>
  here(ctx, `${ORDERS_PATH}/${encodeURIComponent(id)}`);

export const resellerHref = (ctx: Asked, id: string): string =>
  here(ctx, `/resellers/${encodeURIComponent(id)}`);
export const productHref = (ctx: Asked, id: string): string =>
  here(ctx, `/products/${encodeURIComponent(id)}`);
export const supplierHref = (ctx: Asked, id: string): string =>
  here(ctx, `/suppliers/${encodeURIComponent(id)}`);

/** In an address: `write-off`. */
export const slugOf = (action: OrderAction): string => action.replaceAll("_", "-");
export const actionOf = (slug: string | undefined): OrderAction | undefined =>
  ORDER_ACTIONS.find((action) => slugOf(action) === slug);

export const actionHref = (ctx: Asked, id: string, action: OrderAction): string =>
  here(ctx, `${ORDERS_PATH}/${encodeURIComponent(id)}/${slugOf(action)}`);

export const ENTER_CODE_LABEL = "Enter code by hand";
export const enterCodeHref = (ctx: Asked, id: string, unit?: UnitRef): string =>
  here(
    ctx,
    `${ORDERS_PATH}/${encodeURIComponent(id)}/enter-code`,
    unit ? { unit: `${unit.lineIndex}.${unit.unitIndex}` } : {},
  );

/** What buttons say. */
export const ACTION_LABELS: Readonly<Record<OrderAction, string>> = {
  look_up: "Look up at supplier",
  retry: "Retry",
  hold: "Hold",
  release: "Release",
  refund: "Refund",
  write_off: "Write off",
  keep: "Keep",
  charge_back: "Charge back",
};
