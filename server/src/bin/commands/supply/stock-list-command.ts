import type { Command } from "commander";
import { getProductCurrency } from "../../../suppliers/get-supplier.ts";
import {
  LISTED_STATES,
  type ListedCode,
  listCodes,
} from "../../../suppliers/stock/stock-operation-queries.ts";
import { showTime } from "../../output/format.ts";
import { table } from "../../output/table.ts";
import { required, text, verb } from "../../verb.ts";
import { choiceOf, limitOf } from "../read-options.ts";

const LIMIT_MAX = 10_000;
const LIMIT_DEFAULT = "100";

export function stockListCommand(stock: Command): void {
  verb(
    stock
      .command("list")
      .description("list the codes of a product by id, oldest first; never the codes themselves")
      .requiredOption("--product <id>", "the product")
      .option("--supplier <id>", "only this supplier")
      .option("--state <state>", LISTED_STATES.join(", "), "stock")
      .option("--after <id>", "the next page: codes after this id")
      .option("--limit <n>", `maximum number, up to ${LIMIT_MAX}`, LIMIT_DEFAULT),
    async ({ db }, options) => {
      const productId = required(options, "product");
      await getProductCurrency(db, productId);
      const limit = limitOf(options, LIMIT_MAX);
      const rows = await listCodes(db, {
        productId,
        supplierId: text(options, "supplier"),
        state: choiceOf(options, "state", LISTED_STATES) ?? "stock",
        afterId: text(options, "after") ?? "",
        limit: limit + 1,
      });
      return { data: rows.slice(0, limit).map(toView), hasMore: rows.length > limit };
    },
    showCodes,
  );
}

const toView = (row: ListedCode) => ({
  id: row.id,
  supplierId: row.supplierId,
  state: row.state,
  type: row.type,
  ...(row.expiresAt === null ? {} : { expiresAt: row.expiresAt.toISOString() }),
  ...(row.orderId === null ? {} : { orderId: row.orderId }),
  createdAt: row.createdAt.toISOString(),
});

function showCodes({ data, hasMore }: { data: ReturnType<typeof toView>[]; hasMore: boolean }): string {
  if (data.length === 0) return "No codes match. How many there are in each state: scrip stock level";
  const rows = data.map((row) => [
    row.id,
    row.type,
    row.expiresAt === undefined ? "never" : showTime(row.expiresAt),
    showTime(row.createdAt),
    row.supplierId,
    row.orderId ?? "",
  ]);
  const columns = [
    "ID",
    "TYPE",
    "EXPIRES (UTC)",
    "IMPORTED (UTC)",
    { heading: "SUPPLIER", optional: true },
    { heading: "ORDER", optional: true },
  ] as const;
  const more = hasMore ? [`\nMore: the same command with --after ${data.at(-1)?.id}`] : [];
  return [table(columns, rows), ...more].join("\n");
}
