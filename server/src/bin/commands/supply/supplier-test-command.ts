import type { Command } from "commander";
import { sayOdd } from "../../../suppliers/calls/checked-reading.ts";
import { showCost } from "../../output/route-view.ts";
import { verb } from "../../verb.ts";

export function supplierTestCommand(supplier: Command): void {
  verb(
    supplier
      .command("test")
      .description("sign in at a supplier, read the balance and list one product; nothing is bought")
      .argument("<id>"),
    async (context, _options, [id = ""]) => {
      const { testSupplier } = await import("../../../suppliers/calls/test-supplier.ts");
      const tested = await testSupplier(context, id);
      if (!tested.ok) throw new Error(`${id} does not work: ${tested.reason}`);
      return tested;
    },
    ({ id, kind, balance, product, odd = [] }) =>
      `${id} (${kind}) works: the balance is ${showCost(balance)}` +
      (product ? `; its first product is ${product.sku}, ${product.name}` : "") +
      (odd.length > 0 ? `; other balances could not be read: ${odd.map(sayOdd).join("; ")}` : ""),
  );
}
