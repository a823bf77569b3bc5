import assert from "node:assert/strict";
import sql from "sql-template-tag";
import type { WorkerEnd } from "../processes/start-worker-process.ts";
import type { TruePurchase } from "../upstream/fake-upstream.ts";
import type { CrashTrack } from "./crash-track.ts";

/** The same story, run again for each point at which its worker dies. */
export type CrashStory = {
  /**
   * Brings the track to where the worker starts, kills the worker at the point, and does what a person would do then.
   */
  crash(killAt: number): Promise<WorkerEnd>;
  /** Called after another worker has finished all work. */
  check(): Promise<void>;
};

/** The state of an order with everything that belongs to it, in unit order. */
export type OrderEnd = {
  status: string;
  units: string | null;
  failureCodes: string | null;
  attempts: string | null;
  codes: string | null;
};

export async function readEnd({ shop }: CrashTrack, orderId: string): Promise<OrderEnd | undefined> {
  const [row] = await shop.scrip.db.rows<OrderEnd>(sql`
    select status,
           (select string_agg(status, ', ' order by line_index, unit_index) from order_units
            where order_id = o.id) as units,
           (select string_agg(failure_code, ', ' order by line_index) from order_lines
            where order_id = o.id) as "failureCodes",
           (select string_agg(status, ', ' order by line_index, unit_index, number) from supplier_attempts
            where order_id = o.id) as attempts,
           (select string_agg(concat_ws(' ', state, quarantine_reason), ', ' order by line_index, unit_index) from codes
            where order_id = o.id) as codes
    from orders o where id = ${orderId}`);
  return row;
}

/** What each upstream has really sold for an order and not refunded. No unit can appear twice. */
export function soldFor({ upstreams }: CrashTrack, orderId: string): TruePurchase[][] {
  const sold = upstreams.map((upstream) =>
    upstream.purchases().filter(({ account, state }) => account === orderId && state !== "refunded"),
  );
  const units = sold.flat().map(({ unit }) => unit.replace(/\.\d+$/, ""));
  assert.equal(new Set(units).size, units.length, `a unit was bought twice: ${units.join(", ")}`);
  return sold;
}
