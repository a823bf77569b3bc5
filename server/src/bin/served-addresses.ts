import sql from "sql-template-tag";
import type { Face } from "../accounts/permissions.ts";
import type { Queryable } from "../db/database.ts";

/** Where each face is reached, as the last server that started has it. A face that was never served is absent. */
export async function findServedAddresses(db: Queryable): Promise<Partial<Record<Face, string>>> {
  const rows = await db.rows<{ face: Face; url: string }>(sql`select face, url from served_addresses`);
  return Object.fromEntries(rows.map(({ face, url }) => [face, url]));
}

/** One statement for all faces, in one order, because several processes start at once. */
export const saveServedAddresses = (db: Queryable, urls: Partial<Record<Face, string>>, now: Date) => {
  const faces = Object.keys(urls).toSorted();
  return db.rows(sql`
    insert into served_addresses (face, url, served_at)
    select face, url, ${now} from unnest(${faces}::text[], ${faces.map((face) => urls[face as Face])}::text[]) as one (face, url)
    order by face
    on conflict (face) do update set url = excluded.url, served_at = excluded.served_at`);
};
