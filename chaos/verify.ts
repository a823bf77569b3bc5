import sql from "sql-template-tag";
import { audit } from "../server/src/audit/audit.ts";
import type { Queryable } from "../server/src/db/database.ts";
import { decodeGoods, type GoodsType, identityOf } from "../server/src/suppliers/goods.ts";
import { deliveredPlace } from "../server/src/vault/code-place.ts";
import type { Recorder } from "./recorder.ts";
import { type Account, BOUGHT } from "./shopfront.ts";
import type { World } from "./world.ts";

/** What is wrong in the end, by kind; all of it empty when nothing was lost, doubled or unexplained. */
export type Findings = {
  "orders lost": string[];
  "orders doubled or never told": string[];
  "payments lost or doubled": string[];
  "codes doubled": string[];
  "codes not as sold": string[];
  "events lost": string[];
  "signatures unexplained": string[];
  contradictions: string[];
  "invariants broken": string[];
};

/** Holds what callers, receivers and suppliers know against the database. */
export async function verify(
  world: World,
  accounts: readonly Account[],
  recorder: Recorder,
): Promise<Findings> {
  const orders = await findOrderFaults(world.db, recorder);
  const codes = await findCodeFaults(world, recorder);
  const { invariants } = await audit(world.db);
  return {
    ...orders,
    "payments lost or doubled": await findPaymentFaults(world.db, recorder),
    ...codes,
    "events lost": await findLostEvents(world, accounts),
    "signatures unexplained": world.receivers.unexplained(),
    contradictions: recorder.contradictions,
    "invariants broken": invariants.flatMap(({ number, ok, violations }) =>
      ok ? [] : violations.map((text) => `${number}: ${text}`),
    ),
  };
}

async function findOrderFaults(
  db: Queryable,
  { wanted, refunded }: Recorder,
): Promise<Pick<Findings, "orders lost" | "orders doubled or never told">> {
  type Row = { id: string; binding: string; totalMinor: bigint; refundedMinor: bigint };
  const rows = await db.rows<Row>(sql`
    select id, reseller_id || ' ' || environment || ' ' || idempotency_key as binding, total_minor as "totalMinor",
           refunded_minor as "refundedMinor"
    from orders`);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const told = new Map<string, string>();
  const lost: string[] = [];
  for (const { resellerId, environment, idempotencyKey, told: answer } of wanted.values()) {
    if (!answer) continue;
    const binding = `${resellerId} ${environment} ${idempotencyKey}`;
    told.set(binding, answer.id);
    const row = byId.get(answer.id);
    if (row?.binding !== binding || row.totalMinor !== BigInt(answer.totalMinor))
      lost.push(`${answer.id} of ${binding}`);
  }
  for (const id of refunded) if (byId.get(id)?.refundedMinor === 0n) lost.push(`the refund of ${id}`);
  const untold = rows.filter(({ binding, id }) => told.get(binding) !== id);
  return {
    "orders lost": lost,
    "orders doubled or never told": untold.map(({ id, binding }) => `${id} of ${binding}`),
  };
}

/** What was acknowledged is there once; what was not is there once or not at all. */
async function findPaymentFaults(db: Queryable, { payments }: Recorder): Promise<string[]> {
  const rows = await db.rows<{ note: string; count: number; amountMinor: bigint }>(sql`
    select note, count(*)::integer as count, sum(amount_minor)::bigint as "amountMinor" from ledger_entries
    where type = 'deposit' and note is not null group by note`);
  const byNote = new Map(rows.map((row) => [row.note, row]));
  return payments.flatMap(({ note, acknowledged, amountMinor }) => {
    const found = byNote.get(note);
    if (!found) return acknowledged ? [`${note} is not there`] : [];
    return found.count === 1 && found.amountMinor === BigInt(amountMinor)
      ? []
      : [`${note} is there ${found.count} times`];
  });
}

/** Opens every live code that was delivered: each is there once, as callers read it and as its supplier sold it. */
async function findCodeFaults(
  { db, codeVault, upstreams }: World,
  recorder: Recorder,
): Promise<Pick<Findings, "codes doubled" | "codes not as sold">> {
  type Row = {
    id: string;
    orderId: string;
    lineIndex: number;
    unitIndex: number;
    productId: string;
    type: GoodsType;
    sealed: Buffer;
  };
  const rows = await db.rows<Row>(sql`
    select id, order_id as "orderId", line_index as "lineIndex", unit_index as "unitIndex", product_id as "productId",
           type, sealed
    from codes where environment = 'live' and state = 'delivered'`);
  // A supplier may sell a code twice; the second time it goes to quarantine.
  const sold = Map.groupBy(
    upstreams.flatMap((upstream) => upstream.purchases()),
    ({ code }) => code ?? "",
  );
  const seen = new Map<string, string>();
  const doubled: string[] = [];
  const unsold: string[] = [];
  for (const row of rows) {
    const plain = codeVault.open(deliveredPlace(row, row.productId), row.sealed);
    const text = identityOf(decodeGoods(row.type, plain, null)) ?? "";
    const unit = `${row.orderId}.${row.lineIndex}.${row.unitIndex}`;
    if (seen.has(text)) doubled.push(`${unit} has the code of ${seen.get(text)}`);
    seen.set(text, unit);
    const read = recorder.codes.get(`${row.orderId} ${row.id}`);
    if (read !== undefined && read !== text) unsold.push(`${unit} was read as another code`);
    const buyers = sold.get(text)?.map(({ reference }) => reference) ?? [];
    if (row.productId === BOUGHT && !buyers.some((reference) => reference.startsWith(`${unit}.`)))
      unsold.push(`${unit} has a code that was sold for ${buyers.join(", ") || "nobody"}`);
  }
  return { "codes doubled": [...doubled, ...findBoughtTwice(upstreams)], "codes not as sold": unsold };
}

/** Purchases that stand at the suppliers: of each unit one at most, at all of them together. */
function findBoughtTwice(upstreams: World["upstreams"]): string[] {
  const units = new Map<string, string>();
  return upstreams
    .flatMap((upstream) => upstream.purchases())
    .filter(({ state }) => state !== "refunded" && state !== "failed")
    .flatMap(({ reference }) => {
      const unit = reference.replace(/\.\d+$/, "");
      const other = units.get(unit);
      units.set(unit, reference);
      return other === undefined ? [] : [`${unit} was bought as ${other} and as ${reference}`];
    });
}

async function findLostEvents({ db, receivers }: World, accounts: readonly Account[]): Promise<string[]> {
  const rows = await db.rows<{ id: string; resellerId: string; environment: string }>(
    sql`select id, reseller_id as "resellerId", environment from events`,
  );
  const names = new Map(accounts.map((one) => [`${one.resellerId} ${one.environment}`, one.name]));
  return rows
    .filter(
      ({ id, resellerId, environment }) =>
        !receivers.received(names.get(`${resellerId} ${environment}`) ?? "").has(id),
    )
    .map(({ id }) => id);
}
