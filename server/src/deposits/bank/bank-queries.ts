import sql from "sql-template-tag";
import type { By } from "../../activity/record-activity.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import type { IdentifiedLine } from "./bank-line.ts";

export type StoredLine = {
  identity: Buffer;
  depositId: string;
  bookedOn: string;
  amountMinor: bigint;
  currency: string;
};

const storedColumns = sql`
  identity, deposit_id as "depositId", booked_on::text as "bookedOn", amount_minor as "amountMinor", currency`;

export const listStoredLines = (db: Queryable, identities: readonly Buffer[]) =>
  db.rows<StoredLine>(sql`
    select ${storedColumns} from bank_lines
    where identity = any(array(select decode(given, 'hex') from unnest(${identities.map((identity) => identity.toString("hex"))}::text[]) given))`);

export const listLinesOf = (db: Queryable, depositIds: readonly string[]) =>
  db.rows<StoredLine>(sql`
    select ${storedColumns} from bank_lines where deposit_id = any(${depositIds}::text[]) order by booked_on, identity`);

/** Returns false if the line was counted before, by whatever file. */
export const insertBankLine = async (
  tx: Tx,
  line: IdentifiedLine,
  depositId: string,
  { actor }: By,
  now: Date,
): Promise<boolean> => {
  const inserted = await tx.rows(sql`
    insert into bank_lines (identity, deposit_id, account, entry_reference, booked_on, amount_minor, currency, payer,
                            remittance, recorded_at, actor_kind, actor_id)
    values (${line.identity}, ${depositId}, ${line.account}, ${line.entryReference ?? null}, ${line.bookedOn}::date,
            ${line.amountMinor}, ${line.currency}, ${line.payer === "" ? null : line.payer}, ${line.remittance}, ${now},
            ${actor.kind}, ${actor.id})
    on conflict (identity) do nothing
    returning identity`);
  return inserted.length > 0;
};

export type ShownLine = StoredLine & {
  account: string;
  entryReference: string | null;
  payer: string | null;
  remittance: string;
  recordedAt: Date;
};

/** The bank lines of one deposit, for people. */
export const listShownLines = (db: Queryable, depositId: string) =>
  db.rows<ShownLine>(sql`
    select ${storedColumns}, account, entry_reference as "entryReference", payer, remittance, recorded_at as "recordedAt"
    from bank_lines where deposit_id = ${depositId} order by booked_on, recorded_at, identity`);
