import sql from "sql-template-tag";
import type { Findings } from "../findings.ts";
import type { Account } from "../shopfront.ts";
import type { World } from "../world.ts";

/** Every event arrived at its receivers unchanged, and nothing else arrived. */
export async function findEventFaults(
  { db, receivers }: World,
  accounts: readonly Account[],
): Promise<Pick<Findings, "events lost" | "events unexpected or changed">> {
  const rows = await db.rows<{ id: string; owner: string; body: string }>(
    sql`select id, reseller_id || ' ' || environment as owner, body from events`,
  );
  const written = Map.groupBy(rows, ({ owner }) => owner);
  const lost: string[] = [];
  const strange: string[] = [];
  for (const { resellerId, environment, name } of accounts) {
    const received = receivers.received(name);
    const own = new Map(
      (written.get(`${resellerId} ${environment}`) ?? []).map(({ id, body }) => [id, body]),
    );
    lost.push(...[...own.keys()].filter((id) => !received.has(id)));
    for (const [id, body] of received) if (own.get(id) !== body) strange.push(`${id} at ${name}`);
  }
  return { "events lost": lost, "events unexpected or changed": strange };
}
