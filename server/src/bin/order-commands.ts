import type { Command } from "commander";
import { toOrderView } from "../orders/order-view.ts";
import { findAnyOrder } from "../orders/queries.ts";
import { verb } from "./verb.ts";

export function orderCommands(program: Command): void {
  const order = program.command("order").description("orders of all resellers");

  verb(
    order.command("show").description("one order, whoever placed it").argument("<id>"),
    async ({ db }, _options, [id = ""]) => {
      const row = await findAnyOrder(db, id);
      if (!row) throw new RangeError(`there is no order ${id}`);
      const { resellerId, environment, idempotencyKey } = row;
      return { resellerId, env: environment, idempotencyKey, order: toOrderView(row) };
    },
    (shown) => JSON.stringify(shown, null, 2),
  );
}
