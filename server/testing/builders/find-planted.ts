import sql, { raw } from "sql-template-tag";
import type { Queryable } from "../../src/db/database.ts";

/** Every form in which a text could be stored: plain, hex, and base64 at any offset of a longer value. */
export function disguisesOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const base64 = [0, 1, 2].map((before) => {
    // Only the characters that depend on the text alone. Those at the edges depend on neighboring bytes.
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  const urls = base64.map((one) => one.replaceAll("+", "-").replaceAll("/", "_"));
  return [...new Set([text, bytes.toString("hex"), bytes.toString("hex").toUpperCase(), ...base64, ...urls])];
}

/** The tables that contain the text in any row and form. Bytes are searched as hex. */
export async function findPlanted(db: Queryable, text: string): Promise<string[]> {
  const tables = await db.rows<{ name: string }>(sql`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema') order by 1`);
  if (tables.length < 10) throw new Error(`only ${tables.length} tables were searched`);
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await db.rows(sql`
      select from ${raw(name)} planted
      where exists (select from unnest(${disguisesOf(text)}::text[]) form where position(form in planted::text) > 0)
      limit 1`);
    if (rows.length > 0) found.push(name);
  }
  return found;
}
