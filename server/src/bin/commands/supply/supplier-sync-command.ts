import type { Command } from "commander";
import type { SyncItem } from "../../../suppliers/sync/compare-catalog.ts";
import { showCount } from "../../output/format.ts";
import { table } from "../../output/table.ts";
import { text, UsageError, verb } from "../../verb.ts";
import { limitOf } from "../read-options.ts";

const LIMIT_MAX = 200_000;
const LIMIT_DEFAULT = "1000";
const BY = { actor: { kind: "command", id: "scrip" } } as const;

export function supplierSyncCommand(supplier: Command): void {
  verb(
    supplier
      .command("sync")
      .description("compare a supplier's catalog with your routes, and propose products and routes")
      .argument("<id>")
      .option("--apply", "apply the proposal that the command without --apply has shown")
      .option("--only <list>", "with --apply: only these items, such as new,gone,repriced or 4521@25,4521@50")
      .option("--limit <n>", `maximum number of items to print, up to ${LIMIT_MAX}`, LIMIT_DEFAULT)
      .addHelpText("after", HELP),
    async (context, options, [id = ""]) => {
      const only = text(options, "only")
        ?.split(",")
        .map((one) => one.trim());
      if (only && options.apply !== true) throw new UsageError("--only goes with --apply");
      const { applySync, proposeSync } = await import("../../../suppliers/sync/sync-supplier.ts");
      if (options.apply === true) return { supplierId: id, applied: await applySync(context, id, only, BY) };
      const { items, unchanged, left, proposedAt } = await proposeSync(context, id);
      const limit = limitOf(options, LIMIT_MAX);
      const count = (change: SyncItem["change"]) => items.filter((item) => item.change === change).length;
      return {
        ...{ supplierId: id, proposedAt: proposedAt.toISOString() },
        ...{ new: count("new"), gone: count("gone"), repriced: count("repriced"), unchanged, left },
        ...{ items: items.slice(0, limit), hasMore: items.length > limit },
      };
    },
    show,
  );
}

const HELP = `
Nothing changes without --apply, and --apply changes only what the last proposal has shown, within 24 hours. new: a product that you do
not buy there yet; it gets a row in the catalog and a route, and sells once it has a price. gone: the supplier no longer has it; its route
is removed. repriced: its cost has changed.`;

type Proposal = {
  new: number;
  gone: number;
  repriced: number;
  unchanged: number;
  left: number;
  items: SyncItem[];
  hasMore: boolean;
};
type Applied = { applied: { new: number; gone: number; repriced: number; skipped: number } };

function show(result: ({ supplierId: string } & Applied) | ({ supplierId: string } & Proposal)): string {
  if ("applied" in result) {
    const { applied } = result;
    const skipped =
      applied.skipped > 0 ? `; ${showCount(applied.skipped)} have changed since and were skipped` : "";
    return `applied ${showCount(applied.new)} new, ${showCount(applied.gone)} gone, ${showCount(applied.repriced)} repriced${skipped}`;
  }
  const head = `${showCount(result.new)} new, ${showCount(result.gone)} gone, ${showCount(result.repriced)} repriced, ${showCount(result.unchanged)} unchanged; ${showCount(result.left)} without a fixed value or cost were left out`;
  if (result.items.length === 0) return head;
  const rows = result.items.map((item) => [
    ...[item.change, item.id, item.route.productId],
    `${item.change === "repriced" ? `${item.was.cost ?? "unknown"} → ` : ""}${item.route.cost ?? ""} ${item.route.currency ?? ""}`,
    item.change === "new" ? item.product.name : "",
  ]);
  const columns = [
    "CHANGE",
    "ITEM",
    "PRODUCT",
    { heading: "COST", right: true },
    { heading: "NAME", cut: true, optional: true },
  ] as const;
  const next = `\nApply it: scrip supplier sync ${result.supplierId} --apply`;
  return [head, "", table(columns, rows), ...(result.hasMore ? ["(more: use --limit)"] : []), next].join(
    "\n",
  );
}
