import { requireFreshProof } from "../../accounts/sessions/session-life.ts";
import { recordActivity } from "../../activity/record-activity.ts";
import { CODE_EXACT_HEADS, CODE_HEADS, codeCells } from "../../fulfilment/reveal/code-csv.ts";
import { revealCodes } from "../../fulfilment/reveal/reveal-codes.ts";
import type { OrderCodesView } from "../../fulfilment/reveal/schemas.ts";
import { defineForm } from "../../web/form/define-form.ts";
import { hiddenField } from "../../web/form/text-fields.ts";
import { showOnce } from "../../web/pages/define-page.ts";
import { csvFile } from "../../web/table/csv-file.ts";
import {
  actorOf,
  type DashboardContext,
  type DashboardDeps,
  type DashboardFace,
  tenantOf,
} from "../session.ts";
import { ORDERS_PATH } from "./list-page.ts";
import { loadOrder } from "./load-order.ts";
import { renderOrder } from "./order-page.ts";

/** Without a code id all codes of the order are meant. */
const revealForm = defineForm({ codeId: hiddenField("Code") });

/** Codes are bearer money: fresh proof first, then the record of who sees them, then the codes. */
export function revealPages(face: DashboardFace, deps: DashboardDeps): void {
  face.action({
    path: `${ORDERS_PATH}/:id/reveal`,
    permission: "codes.reveal",
    form: revealForm,
    does: async ({ codeId }, ctx) => {
      await loadOrder(deps, ctx);
      return `Show ${codeId === "" ? "the codes" : "a code"} of this order. It is recorded who saw them.`;
    },
    async run({ codeId }, ctx) {
      const { data } = await reveal(deps, ctx, codeId === "" ? undefined : codeId);
      const shown = new Map(data.map((code) => [code.id, code]));
      return showOnce(renderOrder(await loadOrder(deps, ctx), ctx, shown));
    },
    again: async (_state, ctx) => renderOrder(await loadOrder(deps, ctx), ctx),
  });
  face.download({
    method: "POST",
    path: `${ORDERS_PATH}/:id/codes.csv`,
    permission: "codes.reveal",
    does: async (_values, ctx) => {
      await loadOrder(deps, ctx);
      return "Download the codes of this order. It is recorded who has them.";
    },
    async load(ctx) {
      const { orderId, data } = await reveal(deps, ctx, undefined);
      return csvFile(`codes-${orderId}.csv`, CODE_HEADS, data.map(codeCells), CODE_EXACT_HEADS);
    },
  });
}

/** The verb of the API, with the person as the actor. */
function reveal(
  deps: DashboardDeps,
  ctx: DashboardContext,
  codeId: string | undefined,
): Promise<OrderCodesView> {
  requireFreshProof(ctx.session.account, deps.clock.now());
  const tenant = tenantOf(ctx);
  const actor = actorOf(ctx);
  const { id: orderId = "" } = ctx.params;
  return revealCodes(
    deps,
    { ...tenant, actor },
    {
      orderId,
      codeId,
      requestId: ctx.requestId,
      address: ctx.address,
      alsoRecord: (tx, codeCount) =>
        recordActivity(tx, deps.clock, {
          actor,
          address: ctx.address,
          action: "codes.revealed",
          object: { kind: "order", id: orderId },
          ...tenant,
          after: { units: codeCount },
        }),
    },
  );
}
