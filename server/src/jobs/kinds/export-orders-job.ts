import { type FoundOrder, findOrders, type OrderSearch } from "../../fulfilment/operate/find-orders.ts";
import { csvLine, withoutFormula } from "../../lib/csv/csv-line.ts";
import { firstIdAt } from "../../lib/ids.ts";
import { formatAmount } from "../../lib/money.ts";
import { isOrderStatus } from "../../orders/status.ts";
import { RESULT_MAX_BYTES } from "../job-files.ts";
import { JobFailed, type JobKind, type JobParams } from "../job-kind.ts";
import { optionalText } from "./read-params.ts";

const ORDERS_PER_STEP = 1_000;

const HEADS = [
  ...[
    "id",
    "reseller",
    "environment",
    "status",
    "createdAt",
    "updatedAt",
    "reference",
    "total",
    "refundedTotal",
  ],
  ...["currency", "units"],
];

/**
 * The orders of a filter, of any number, as CSV. Each step writes its lines and where it stopped in one transaction, so that
 * whoever goes on repeats none and leaves none out.
 */
export const exportOrdersJob: JobKind = {
  title: "Export of orders",
  resultFile: "orders.csv",
  async run({ db, clock }, job) {
    const search = readSearch(job.params);
    let done = Number(job.step.done ?? 0);
    let bytes = Number(job.step.bytes ?? 0);
    let beforeId = typeof job.step.beforeId === "string" ? job.step.beforeId : undefined;
    for (let hasMore = true; hasMore; ) {
      // Orders that are placed while the export runs are not part of it.
      beforeId ??= firstIdAt("ord", clock.now().getTime());
      const page = await findOrders(db, { ...search, beforeId, limit: ORDERS_PER_STEP }, clock.now());
      const lines = page.orders.map(toLine).join("");
      const part = (done === 0 && bytes === 0 ? `${csvLine(HEADS)}\r\n` : "") + lines;
      done += page.orders.length;
      bytes += Buffer.byteLength(part);
      if (bytes > RESULT_MAX_BYTES)
        throw new JobFailed("The file would be larger than 1 GiB. Narrow the filter.");
      beforeId = page.orders.at(-1)?.id ?? beforeId;
      hasMore = page.hasMore;
      const step = { beforeId, done, bytes };
      await db.transaction((tx) =>
        hasMore ? job.checkpoint(tx, { step, done, part }) : job.succeed(tx, { orders: done }, part),
      );
    }
  },
};

function readSearch(params: JobParams): Omit<OrderSearch, "limit" | "beforeId"> {
  const status = optionalText(params, "status");
  const environment = optionalText(params, "environment");
  const at = (name: string): Date | undefined => {
    const text = optionalText(params, name);
    return text === undefined ? undefined : new Date(text);
  };
  return {
    status: status !== undefined && isOrderStatus(status) ? [status] : undefined,
    environment: environment === "live" || environment === "test" ? environment : undefined,
    resellerId: optionalText(params, "resellerId"),
    reference: optionalText(params, "reference"),
    productId: optionalText(params, "productId"),
    createdFrom: at("createdFrom"),
    createdTo: at("createdTo"),
    held: params.held === true,
    stuck: params.stuck === true,
    unknown: params.unknown === true,
  };
}

const toLine = (order: FoundOrder): string => {
  const cells = [
    order.id,
    order.resellerName,
    order.environment,
    order.status,
    order.createdAt.toISOString(),
    order.updatedAt.toISOString(),
    order.reference ?? "",
    formatAmount(order.totalMinor, order.currency),
    formatAmount(order.refundedMinor, order.currency),
    order.currency,
    String(order.units),
  ];
  return `${csvLine(cells.map(withoutFormula))}\r\n`;
};
