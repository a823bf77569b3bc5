import sql from "sql-template-tag";
import type { Tx } from "../../db/database.ts";
import type { UnitKey } from "../../vault/code-place.ts";
import type { Attempt } from "../take/order-work.ts";
import { attemptColumns } from "./look-up-queries.ts";
import { isChosen, type UnitChoice } from "./unit-choice.ts";

export type WrittenOff = UnitKey &
  Attempt & { productId: string; inputFields: Record<string, string> | null };

/** Attempts that were written off or count as not made, and that are due for a look-up, locked against other workers. */
export const listWrittenOff = (tx: Tx, now: Date, limit: number) =>
  tx.rows<WrittenOff>(sql`
    select ${attemptColumns} from supplier_attempts a
    where status in ('open', 'not_made') and written_off_at is not null and next_look_at <= ${now}
    order by next_look_at, order_id, line_index, unit_index limit ${limit}
    for update skip locked`);

export const postponeLook = (tx: Tx, { orderId, lineIndex, unitIndex, number }: WrittenOff, until: Date) =>
  tx.rows(sql`
    update supplier_attempts set next_look_at = ${until}
    where order_id = ${orderId} and line_index = ${lineIndex} and unit_index = ${unitIndex} and number = ${number}`);

/** Writes off the open attempts of chosen units that are still waiting. */
export const writeOffUnits = (tx: Tx, orderId: string, choice: UnitChoice, now: Date) =>
  tx.rows(sql`
    update supplier_attempts a set written_off_at = ${now}, next_look_at = ${now}
    from (
      select u.order_id, u.line_index, u.unit_index from order_units u
      where u.order_id = ${orderId} and u.status = 'waiting' and ${isChosen(choice, now)}
    ) u
    where a.order_id = ${orderId} and a.status = 'open' and a.written_off_at is null
      and u.order_id = a.order_id and u.line_index = a.line_index and u.unit_index = a.unit_index`);
