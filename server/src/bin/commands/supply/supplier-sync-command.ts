import type { Command } from "commander";
import { sayOdd } from "../../../suppliers/calls/checked-reading.ts";
import type { OddRow } from "../../../suppliers/supplier.ts";
import {
  costText,
  type SyncItem,
  type SyncProposal,
  sayLeftOut,
} from "../../../suppliers/sync/compare-catalog.ts";
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
      .option("--rename <list>", "ids for new products, such as 4521@25=nimbus-us-25,77=gems-100")
      .option("--limit <n>", `maximum number of items to print, up to ${LIMIT_MAX}`, LIMIT_DEFAULT)
      .addHelpText("after", HELP),
    async (context, options, [id = ""]) => {
      const only = text(options, "only")
        ?.split(",")
        .map((one) => one.trim());
      if (only && options.apply !== true) throw new UsageError("--only goes with --apply");
      const renames = renamesOf(text(options, "rename"));
      const { applySync, proposeSync } = await import("../../../suppliers/sync/sync-supplier.ts");
      if (options.apply === true)
        return { supplierId: id, applied: await applySync(context, id, { only, renames }, BY) };
      const proposal = await proposeSync(context, id, { renames });
      const { items, unchanged, leftOut, odd, oddCount, proposedAt } = proposal;
      const limit = limitOf(options, LIMIT_MAX);
      const count = (change: SyncItem["change"]) => items.filter((item) => item.change === change).length;
      return {
        ...{ supplierId: id, proposedAt: proposedAt.toISOString() },
        ...{ new: count("new"), gone: count("gone"), repriced: count("repriced"), unchanged },
        left: Object.values(leftOut).reduce((sum, one) => sum + one, 0),
        ...{ leftOut, odd, oddCount },
        ...{ items: items.slice(0, limit), hasMore: items.length > limit },
      };
    },
    show,
  );
}

const HELP = `
Nothing changes without --apply, and --apply changes only what the last proposal has shown, within 24 hours. new: a product that you do
not buy there yet; it gets a row in the catalog and a route, and sells once it has a price. gone: the supplier no longer has it; its route
is removed. repriced: its cost has changed.

A new product gets an id from its brand, country and value. Resellers see it, and it never changes later: choose another one with --rename
before or while you apply. Rows of the catalog that cannot be read are listed with the reason; their routes stay as they are.`;

/** `4521@25=nimbus-us-25,77=gems-100` */
function renamesOf(given: string | undefined): ReadonlyMap<string, string> {
  const pairs = (given?.split(",") ?? []).map((pair) => pair.split("=").map((one) => one.trim()));
  const isPair = ([item = "", id = "", ...more]: string[]) => item !== "" && id !== "" && more.length === 0;
  if (!pairs.every(isPair))
    throw new UsageError("--rename must be a list such as 4521@25=nimbus-us-25,77=gems-100");
  return new Map(pairs.map(([item = "", id = ""]) => [item, id]));
}

type Proposal = {
  new: number;
  gone: number;
  repriced: number;
  unchanged: number;
  left: number;
  leftOut: SyncProposal["leftOut"];
  odd: OddRow[];
  oddCount: number;
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
  const left = result.left > 0 ? `; left out: ${sayLeftOut(result.leftOut)}` : "";
  const head = `${showCount(result.new)} new, ${showCount(result.gone)} gone, ${showCount(result.repriced)} repriced, ${showCount(result.unchanged)} unchanged${left}`;
  const odd = oddLines(result);
  if (result.items.length === 0) return [head, ...odd].join("\n");
  const rows = result.items.map((item) => [
    ...[item.change, item.id, item.route.productId, costText(item)],
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
  const more = result.hasMore ? ["(more: use --limit)"] : [];
  return [head, ...odd, "", table(columns, rows), ...more, next].join("\n");
}

const ODD_SHOWN_MAX = 20;

/** What could not be taken, each by its number and field. */
function oddLines({ odd, oddCount }: Proposal): string[] {
  if (oddCount === 0) return [];
  const shown = odd.slice(0, ODD_SHOWN_MAX).map((row) => `  ${sayOdd(row)}`);
  const more =
    oddCount > shown.length ? [`  … and ${showCount(oddCount - shown.length)} more: use --json`] : [];
  return [`${showCount(oddCount)} could not be taken and were left as they are:`, ...shown, ...more];
}
