import { formatAmount } from "../../lib/money.ts";
import { exportMovements } from "../../wallet/list-movements.ts";
import { MOVEMENT_TYPES, type MovementFilters, type MovementRow } from "../../wallet/queries.ts";
import type { Download } from "../../web/pages/define-page.ts";
import { environmentOf } from "../../web/pages/here.ts";
import type { Filter } from "../../web/parts/filter-bar.ts";
import { csvFile } from "../../web/table/csv-file.ts";
import type { ConsoleContext, ConsoleDeps } from "../session.ts";

/** The filters of the address: as they were written, and as the verb wants them. */
export type AskedMovements = { given: Readonly<Record<string, string>>; filters: MovementFilters };

const NAMES = ["reseller", "reason", "from", "to"] as const;
const TEXT_MAX_CHARACTERS = 200;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;

/** A filter that cannot be read is left out. The days from and to are both included. */
export function readMovementFilter(ctx: Pick<ConsoleContext, "query">): AskedMovements {
  const given = Object.fromEntries(
    NAMES.flatMap((name) => {
      const text = ctx.query[name]?.trim().replaceAll("\0", "").slice(0, TEXT_MAX_CHARACTERS) ?? "";
      return text === "" ? [] : [[name, text]];
    }),
  );
  const to = dayOf(given.to);
  return {
    given,
    filters: {
      resellerId: given.reseller,
      type: MOVEMENT_TYPES.find((type) => type === given.reason),
      createdFrom: dayOf(given.from),
      createdTo: to && new Date(to.getTime() + DAY_MS),
    },
  };
}

function dayOf(text: string | undefined): Date | undefined {
  if (text === undefined || !DAY.test(text)) return undefined;
  const day = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(day.getTime()) ? undefined : day;
}

export const movementFilters = ({ given }: AskedMovements): Filter[] => [
  { kind: "text", name: "reseller", label: "Reseller id", value: given.reseller ?? "" },
  {
    kind: "select",
    name: "reason",
    label: "Reason",
    value: given.reason ?? "",
    options: MOVEMENT_TYPES.map((type) => [type, type]),
  },
  { kind: "date", name: "from", label: "From", value: given.from ?? "" },
  { kind: "date", name: "to", label: "To", value: given.to ?? "" },
];

const HEADS = [
  ...["id", "createdAt", "resellerId", "resellerName", "env", "reason"],
  ...["amount", "balanceAfter", "currency", "note"],
];

/** All movements of a filter, one on each line. The file is sent while it is made. */
export function movementsCsv({ db }: Pick<ConsoleDeps, "db">, ctx: ConsoleContext): Download {
  const environment = environmentOf(ctx);
  const rows = exportMovements(db, environment, readMovementFilter(ctx).filters);
  return csvFile(`movements-${environment}.csv`, HEADS, toCells(rows, environment));
}

async function* toCells(rows: AsyncIterable<MovementRow>, environment: string): AsyncGenerator<string[]> {
  for await (const row of rows)
    yield [
      ...[row.id, row.createdAt.toISOString(), row.resellerId, row.resellerName, environment, row.type],
      formatAmount(row.amountMinor, row.currency),
      formatAmount(row.balanceAfterMinor, row.currency),
      ...[row.currency, row.note ?? ""],
    ];
}
