import type { Command } from "commander";
import {
  type FoundOrder,
  findOrders,
  type OrderSearch,
  STUCK_AFTER_MS,
} from "../../../fulfilment/operate/find-orders.ts";
import { money } from "../../../orders/order-view.ts";
import { ORDER_STATUSES } from "../../../orders/status.ts";
import { getReseller } from "../../../resellers/get-reseller.ts";
import { showMoney, showTime } from "../../output/format.ts";
import { type Cell, table } from "../../output/table.ts";
import type { Style } from "../../output/terminal.ts";
import { type Options, text, verb } from "../../verb.ts";
import { ageOf, choiceOf, limitOf } from "../read-options.ts";

const LIMIT_MAX = 1_000;
const LIMIT_DEFAULT = "50";

export function orderListCommand(order: Command): void {
  verb(
    order
      .command("list")
      .description("list the newest orders of all resellers, or orders that need attention")
      .option("--status <status>", ORDER_STATUSES.join(", "))
      .option("--env <environment>", "live or test")
      .option("--reseller <id>", "only orders of this reseller")
      .option("--product <id>", "only orders with this product")
      .option("--reference <text>", "only orders with exactly this reference")
      .option("--older-than <age>", "placed before 30m, 2h or 7d ago")
      .option("--newer-than <age>", "placed within the last 30m, 2h or 7d")
      .option("--held", "only orders whose refund is on hold")
      .option("--stuck", `only orders that are unfinished ${STUCK_AFTER_MS / 60_000} minutes after placement`)
      .option("--unknown", "only orders with a purchase whose outcome is unknown")
      .option("--before <order>", "the next page: orders older than this one")
      .option("--limit <n>", `maximum number, up to ${LIMIT_MAX}`, LIMIT_DEFAULT),
    async ({ db, clock }, options) => {
      const now = clock.now();
      const search = readSearch(options, now);
      if (search.resellerId !== undefined) await getReseller(db, search.resellerId);
      const { orders, hasMore } = await findOrders(db, search, now);
      return { data: orders.map(toView), hasMore };
    },
    showOrders,
  );
}

const readSearch = (options: Options, now: Date): OrderSearch => ({
  ...statusOf(options),
  productId: text(options, "product"),
  reference: text(options, "reference"),
  createdFrom: ageOf(options, "newerThan", now),
  createdTo: ageOf(options, "olderThan", now),
  environment: choiceOf(options, "env", ["live", "test"]),
  resellerId: text(options, "reseller"),
  held: options.held === true,
  stuck: options.stuck === true,
  unknown: options.unknown === true,
  beforeId: text(options, "before"),
  limit: limitOf(options, LIMIT_MAX),
});

const toView = (order: FoundOrder) => ({
  id: order.id,
  resellerId: order.resellerId,
  resellerName: order.resellerName,
  env: order.environment,
  status: order.status,
  total: money(order.totalMinor, order.currency),
  refundedTotal: money(order.refundedMinor, order.currency),
  ...(order.reference === null ? {} : { reference: order.reference }),
  refundHeld: order.refundHeld,
  units: order.units,
  ...(order.openUnits === null ? {} : { openUnits: order.openUnits }),
  unknownPurchases: order.unknownPurchases,
  createdAt: order.createdAt.toISOString(),
  updatedAt: order.updatedAt.toISOString(),
});

type OrderListView = { data: ReturnType<typeof toView>[]; hasMore: boolean };

function showOrders({ data, hasMore }: OrderListView): string {
  if (data.length === 0)
    return "No orders match. Without options, scrip order list shows the newest orders of all resellers.";
  const rows = data.map((row) => [
    row.id,
    statusCell(row.status),
    row.env,
    showMoney(row.total.amount, row.total.currency),
    showTime(row.createdAt),
    noteOf(row),
    row.resellerName,
    row.reference ?? "",
  ]);
  const columns = [
    "ID",
    "STATUS",
    "ENV",
    { heading: "TOTAL", right: true },
    { heading: "PLACED (UTC)" },
    { heading: "NOTE", cut: true, optional: true },
    { heading: "RESELLER", cut: true, optional: true },
    { heading: "REFERENCE", cut: true, optional: true },
  ] as const;
  const more = hasMore ? [`\nMore: the same command with --before ${data.at(-1)?.id}`] : [];
  return [table(columns, rows), ...more].join("\n");
}

function noteOf(row: OrderListView["data"][number]): string {
  return [
    ...(row.unknownPurchases > 0 ? [`${row.unknownPurchases} unknown`] : []),
    ...(row.refundHeld ? ["refund held"] : []),
    ...(row.refundedTotal.amount > 0 && row.status === "completed" ? ["part refunded"] : []),
  ].join(", ");
}

const STATUS_STYLES: Readonly<Record<string, Style>> = {
  pending: "yellow",
  processing: "yellow",
  completed: "green",
  failed: "red",
  refunded: "dim",
};

/** A status with its color. */
export const statusCell = (status: string): Cell => ({
  text: status,
  style: STATUS_STYLES[status] ?? "bold",
});

function statusOf(options: Options): Pick<OrderSearch, "status"> {
  const status = choiceOf(options, "status", ORDER_STATUSES);
  return status === undefined ? {} : { status: [status] };
}
