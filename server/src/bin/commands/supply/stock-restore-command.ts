import type { Command } from "commander";
import type { LostFacts } from "../../../admin/restore/find-lost.ts";
import type { MovedStock } from "../../../admin/restore/restore-queries.ts";
import { listProcesses } from "../../../db/primary/list-processes.ts";
import { formatAmount, toMoney } from "../../../lib/money.ts";
import type { Context } from "../../open-context.ts";
import { plural } from "../../output/format.ts";
import { startProgress } from "../../output/progress.ts";
import { table } from "../../output/table.ts";
import { tellWarning, text, UsageError, verb } from "../../verb.ts";
import { timeOf } from "../read-options.ts";

/** What must happen between a restore of the database and the first start. */
export function stockRestoreCommand(stock: Command): void {
  verb(
    stock
      .command("reconcile-restore")
      .description(
        "after a restore of the database: set aside codes that were sold since, so that none is sold twice",
      )
      .requiredOption(
        "--since <time>",
        "the time that the database was restored to, such as 2030-01-31T12:00:00Z",
      )
      .option("--lost <url>", "the database from before the restore: only what it sold is set aside")
      .addHelpText("after", HELP),
    async (context, options) => {
      const since = timeOf(options, "since");
      if (since === undefined) throw new UsageError("--since is required");
      if (since > context.clock.now()) throw new UsageError("--since must not be in the future");
      await refuseWhileServing(context);
      return reconcile(context, since, text(options, "lost"));
    },
    show,
  );
}

async function refuseWhileServing({ db }: Context): Promise<void> {
  const serving = (await listProcesses(db)).filter(({ isAlive }) => isAlive);
  if (serving.length === 0) return;
  const [use, them] = serving.length === 1 ? ["uses", "it"] : ["use", "them"];
  const seconds = Math.max(...serving.map(({ silentInSeconds }) => silentInSeconds));
  throw new RangeError(
    `${plural(serving.length, "process", "processes")} of Scrip ${use} this database and can sell codes that were sold before. Stop ${them} first. If ${them === "it" ? "it has" : "they have"} ended, run this again in ${plural(seconds, "second")}`,
  );
}

async function reconcile(context: Context, since: Date, url: string | undefined) {
  const [{ reconcileRestore }, { openLostDatabase }, { findLost }, { countStockAfter }] = await Promise.all([
    import("../../../admin/restore/reconcile-restore.ts"),
    import("../../../admin/restore/lost-database.ts"),
    import("../../../admin/restore/find-lost.ts"),
    import("../../../admin/restore/restore-queries.ts"),
  ]);
  const lost = url === undefined ? undefined : await openLostDatabase(url, context.db, since);
  try {
    const progress = startProgress("codes compared");
    const stock = await reconcileRestore(context, {
      since,
      lost,
      onProgress: (codes) => progress.advance(codes),
    });
    progress.end();
    const importedAfter = await countStockAfter(context.db, since);
    return { since, ...stock, importedAfter, ...(lost && toView(await findLost(context.db, lost, since))) };
  } finally {
    await lost?.close();
  }
}

const toView = ({ orderIds, sums, fulfilledAgain, revivedKeys }: LostFacts) => ({
  lostOrders: orderIds,
  lostTotals: sums.map(({ totalMinor, ...sum }) => ({
    ...sum,
    total: toMoney(totalMinor, sum.currency),
  })),
  fulfilledAgain,
  revivedKeys,
});

type Reconciled = Awaited<ReturnType<typeof reconcile>>;

function show(result: Reconciled): string {
  const { since, setAside, released, importedAfter } = result;
  for (const warning of warningsOf(result)) tellWarning(warning);
  return [
    setAside.length === 0
      ? "No code had to be set aside."
      : `Set aside ${plural(sum(setAside), "code")} that ${"lostOrders" in result ? "were" : "could have been"} sold after ${since.toISOString()}:`,
    ...(setAside.length === 0 ? [] : [productTable(setAside)]),
    ...(released.length === 0
      ? []
      : [
          `Returned ${plural(sum(released), "code")} to stock that the lost database had not sold:`,
          productTable(released),
        ]),
    ...(importedAfter === 0 || "lostOrders" in result
      ? []
      : [`${plural(importedAfter, "code")} imported after that time stayed in stock.`]),
    ...(result.refused === 0
      ? []
      : [`${plural(result.refused, "code")} that only the lost database knew will be refused by an import.`]),
    ...(result.lostTotals ?? []).map(
      ({ resellerId, environment, orders, total }) =>
        `Lost: ${plural(orders, "order")} of ${resellerId} (${environment}), ${formatAmount(BigInt(total.amount), total.currency)} ${total.currency}`,
    ),
    "Now run: scrip audit --full",
  ].join("\n");
}

function warningsOf({ fulfilledAgain = [], revivedKeys = [], lostOrders }: Reconciled): string[] {
  return [
    ...(lostOrders
      ? []
      : [
          "do not import files again that were imported after that time: codes of them may be sold. --lost would know",
        ]),
    ...(lostOrders === undefined || lostOrders.length === 0
      ? []
      : [
          `${plural(lostOrders.length, "order")} and ${lostOrders.length === 1 ? "its debit" : "their debits"} exist only in the lost database. If codes were delivered, charge the resellers with scrip wallet debit, if you agreed on that. --json lists the orders`,
        ]),
    ...(fulfilledAgain.length === 0
      ? []
      : [
          `${plural(fulfilledAgain.length, "order")} unfinished here were already delivered in the lost database, and will be delivered again from other stock. --json lists them`,
        ]),
    ...(revivedKeys.length === 0
      ? []
      : [`these keys had ended in the lost database and are valid again: ${revivedKeys.join(", ")}`]),
  ];
}

const sum = (moved: readonly MovedStock[]): number => moved.reduce((total, { count }) => total + count, 0);

const productTable = (moved: readonly MovedStock[]): string =>
  table(
    ["PRODUCT", { heading: "CODES", right: true }],
    moved.map(({ productId, count }) => [productId, String(count)]),
  );

const HELP = `
A point-in-time restore forgets what was sold after that point, and those codes are in stock again. Run this after the restore and
before the first start. It is one transaction, and running it again is safe. --since is the target of the restore. If you are not
sure, give an earlier time with --lost, and a later one without it.

With --lost it reads the database from before the restore, or a second restore up to the last log, and sets aside exactly what
was sold there, whenever it was imported here. Codes that only that database knew and sold are refused by later imports. It also
lists orders, debits and revoked keys that the restore lost. The URL's password can come from PGPASSWORD.

Without --lost every code that was in stock at that time is set aside. If the lost database becomes readable later, run the
command again with --lost: what was not sold returns to stock.

Codes that were set aside are withdrawn (scrip stock list --state withdrawn), and stock export leaves them out.`;
