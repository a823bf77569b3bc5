import sql from "sql-template-tag";
import type { Queryable, Tx } from "../db/database.ts";

export const insertInputPart = (
  tx: Tx,
  part: { jobId: string; number: number; sealed: Buffer; bytes: number },
) =>
  tx.rows(sql`
    insert into job_parts (job_id, role, number, sealed, bytes)
    values (${part.jobId}, 'input', ${part.number}, ${part.sealed}, ${part.bytes})`);

export const findInputPart = async (
  db: Queryable,
  jobId: string,
  number: number,
): Promise<Buffer | undefined> => {
  const [row] = await db.rows<{ sealed: Buffer }>(
    sql`select sealed from job_parts where job_id = ${jobId} and role = 'input' and number = ${number}`,
  );
  return row?.sealed;
};

/** An import has ended: nothing of what was uploaded stays. */
export const deleteInput = (tx: Tx, jobId: string) =>
  tx.rows(sql`delete from job_parts where job_id = ${jobId} and role = 'input'`);

export const deleteResult = (tx: Tx, jobId: string) =>
  tx.rows(sql`delete from job_parts where job_id = ${jobId} and role = 'result'`);

/** Adds the next part of the result. */
export const appendResultPart = (tx: Tx, part: { jobId: string; packed: Buffer; bytes: number }) =>
  tx.rows(sql`
    insert into job_parts (job_id, role, number, packed, bytes)
    select ${part.jobId}, 'result', coalesce(max(number) + 1, 0), ${part.packed}, ${part.bytes}
    from job_parts where job_id = ${part.jobId} and role = 'result'`);

export const findResultPart = async (
  db: Queryable,
  jobId: string,
  number: number,
): Promise<Buffer | undefined> => {
  const [row] = await db.rows<{ packed: Buffer }>(
    sql`select packed from job_parts where job_id = ${jobId} and role = 'result' and number = ${number}`,
  );
  return row?.packed;
};

export const measureParts = async (
  db: Queryable,
  jobId: string,
  role: "input" | "result",
): Promise<{ parts: number; bytes: number }> => {
  const [row] = await db.rows<{ parts: number; bytes: bigint }>(sql`
    select count(*)::integer as parts, coalesce(sum(bytes), 0)::bigint as bytes
    from job_parts where job_id = ${jobId} and role = ${role}`);
  return { parts: row?.parts ?? 0, bytes: Number(row?.bytes ?? 0n) };
};

/** Results are kept for 7 days. */
export const deleteOldResults = (db: Queryable, endedBefore: Date, limit: number) =>
  db.rows(sql`
    delete from job_parts where id in (
      select p.id from jobs j join job_parts p on p.job_id = j.id
      where j.ended_at < ${endedBefore} limit ${limit})
    returning 1`);
