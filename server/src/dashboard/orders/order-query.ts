import type { Asked } from "../../http/query.ts";
import { ORDER_STATUSES } from "../../orders/status.ts";
import type { Filter } from "../../web/parts/filter-bar.ts";
import type { DashboardContext } from "../session.ts";

/** What a list of orders is asked for by its address. */
export type OrderQuery = {
  /** The given filters, by the names that the API has for them. */
  given: Readonly<Record<string, string>>;
  /** An id, a reference or an idempotency key. */
  search: string | undefined;
  /** For the verbs: the same as the API would be asked. */
  asked: Asked;
};

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const FILTERS = ["status", "productId", "reference", "idempotencyKey", "createdFrom", "createdTo"] as const;

/** Forms send empty fields, which are no filters here. A day is its beginning in UTC. */
export function readOrderQuery({ query, url }: DashboardContext): OrderQuery {
  const given: Record<string, string> = {};
  for (const name of FILTERS) {
    const text = query[name]?.trim() ?? "";
    if (text !== "") given[name] = text;
  }
  const search = query.q?.replaceAll("\0", "").trim() ?? "";
  const filters = Object.fromEntries(
    Object.entries(given).map(([name, text]) => [name, DAY.test(text) ? `${text}T00:00:00Z` : text]),
  );
  const cursor = query.cursor === undefined ? {} : { cursor: query.cursor };
  return {
    given,
    search: search === "" ? undefined : search,
    asked: { query: { ...filters, ...cursor }, url },
  };
}

/** The address of the same list: its filters without a cursor. */
export const listQuery = ({ given, search }: OrderQuery): Record<string, string | undefined> => ({
  q: search,
  ...given,
});

/** What the search finds too has a field only when a link brought it. */
export const orderFilters = ({ given, search }: OrderQuery): Filter[] => [
  {
    kind: "search",
    name: "q",
    label: "Search",
    value: search ?? "",
    placeholder: "Id, reference or key",
  },
  {
    kind: "select",
    name: "status",
    label: "Status",
    value: given.status ?? "",
    options: ORDER_STATUSES.map((status) => [status, status]),
  },
  { kind: "text", name: "productId", label: "Product id", value: given.productId ?? "" },
  { kind: "date", name: "createdFrom", label: "From", value: given.createdFrom?.slice(0, 10) ?? "" },
  { kind: "date", name: "createdTo", label: "Before", value: given.createdTo?.slice(0, 10) ?? "" },
  ...(["reference", "idempotencyKey"] as const)
    .filter((name) => given[name] !== undefined)
    .map((name): Filter => ({ kind: "text", name, label: LABELS[name], value: given[name] ?? "" })),
];

const LABELS = { reference: "Reference", idempotencyKey: "Idempotency key" };
