import { recordActivity } from "../../activity/record-activity.ts";
import type { CatalogEntry } from "../../catalog/search-catalog.ts";
import { Problem } from "../../lib/problem.ts";
import { toOrderRequest } from "../../orders/order-request.ts";
import type { Scenario } from "../../sandbox/scenarios.ts";
import type { FormState } from "../../web/form/define-form.ts";
import { FORM_ID_FIELD, isFormId } from "../../web/form/hidden-fields.ts";
import { actorOf, type DashboardContext, type DashboardDeps } from "../session.ts";
import { inputValues, judgeTry, tryForm } from "./try-form.ts";

/**
 * Places the test order that the form describes, as the person who sent it. The form's id is the idempotency key, so a form
 * that is sent twice places one order and leads to it both times.
 */
export async function tryProduct(
  deps: DashboardDeps,
  product: CatalogEntry,
  state: FormState,
  ctx: DashboardContext,
): Promise<{ orderId: string }> {
  const { values } = tryForm(product).read(new Map(Object.entries(state.typed)));
  if (values === undefined || Object.keys(judgeTry(product, state).errors).length > 0)
    throw new Problem("invalid_input_field", "Some fields need a change.");
  const formId = state.typed[FORM_ID_FIELD]?.[0] ?? "";
  if (!isFormId(formId)) throw new Problem("invalid_request", "Open the page of the product again.");
  const tenant = { resellerId: ctx.session.resellerId, environment: "test" } as const;
  const actor = actorOf(ctx);
  const { order, replayed } = await deps.placeTestOrder(tenant, actor, {
    idempotencyKey: `try-${formId}`,
    scenario: values.scenario as Scenario | undefined,
    request: toOrderRequest({
      lines: [
        {
          productId: product.id,
          quantity: values.quantity as number,
          inputFields: inputValues(product, state),
        },
      ],
      ...(values.reference === "" ? {} : { reference: values.reference as string }),
    }),
  });
  if (!replayed)
    await deps.db.transaction((tx) =>
      recordActivity(tx, deps.clock, {
        actor,
        address: ctx.address,
        action: "order.placed",
        object: { kind: "order", id: order.id },
        ...tenant,
        after: { product: product.id, quantity: values.quantity as number },
      }),
    );
  return { orderId: order.id };
}
