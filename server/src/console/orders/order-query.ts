import type { AnyOrderSearch } from "../../fulfilment/operate/list-any-orders.ts";
import type { Asked } from "../../http/query.ts";
import { ORDER_STATUSES } from "../../orders/status.ts";
import { environmentOf } from "../../web/pages/here.ts";
import type { Filter } from "../../web/parts/filter-bar.ts";
import type { ConsoleContext } from "../session.ts";

/** What a list of orders is asked for by its address. */
export type OrderQuery = {
  /** The given filters as text, by their names in the address. */
  given: Readonly<Record<string, string>>;
  search: AnyOrderSearch;
  /** For the verbs: the same as the API would be asked. */
  asked: Asked;
};

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const OF_THE_API = [
  "status",
  "productId",
  "reference",
  "idempotencyKey",
  "createdFrom",
  "createdTo",
] as const;
const OWN = ["q", "resellerId", "supplierId"] as const;

/** Forms send empty fields, which are no filters here. A day is its beginning in UTC. */
export function readOrderQuery(ctx: Pick<ConsoleContext, "query" | "url">): OrderQuery {
  const given: Record<string, string> = {};
  for (const name of [...OWN, ...OF_THE_API]) {
    const text = ctx.query[name]?.replaceAll("\0", "").trim() ?? "";
    if (text !== "") given[name] = text;
  }
  const filters = Object.fromEntries(
    OF_THE_API.flatMap((name) => {
      const text = given[name];
      return text === undefined ? [] : [[name, DAY.test(text) ? `${text}T00:00:00Z` : text]];
    }),
  );
  const cursor = ctx.query.cursor === undefined ? {} : { cursor: ctx.query.cursor };
  return {
    given,
    search: {
      environment: environmentOf(ctx),
      resellerId: given.resellerId,
      supplierId: given.supplierId,
      search: given.q,
    },
    asked: { query: { ...filters, ...cursor }, url: ctx.url },
  };
}

export type SupplierName = { id: string; name: string };

/** What the search finds too has a field only when a link brought it. */
export const orderFilters = ({ given }: OrderQuery, suppliers: readonly SupplierName[]): Filter[] => [
  { kind: "search", name: "q", label: "Search", value: given.q ?? "", placeholder: "Id, reference or key" },
  {
    kind: "select",
    name: "status",
    label: "Status",
    value: given.status ?? "",
    options: ORDER_STATUSES.map((status) => [status, status]),
  },
  { kind: "text", name: "resellerId", label: "Reseller id", value: given.resellerId ?? "" },
  {
    kind: "select",
    name: "supplierId",
    label: "Supplier",
    value: given.supplierId ?? "",
    options: suppliers.map(({ id, name }) => [id, name]),
  },
  { kind: "text", name: "productId", label: "Product id", value: given.productId ?? "" },
  { kind: "date", name: "createdFrom", label: "From", value: given.createdFrom?.slice(0, 10) ?? "" },
  { kind: "date", name: "createdTo", label: "Before", value: given.createdTo?.slice(0, 10) ?? "" },
  ...(["reference", "idempotencyKey"] as const)
    .filter((name) => given[name] !== undefined)
    .map((name): Filter => ({ kind: "text", name, label: LABELS[name], value: given[name] ?? "" })),
];

const LABELS = { reference: "Reference", idempotencyKey: "Idempotency key" };
