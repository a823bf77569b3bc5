import type { Db } from "../../db/database.ts";
import type { LostDatabase } from "./lost-database.ts";
import { type CodePage, findUnknown, listHeldCodes, listStock, type StockCode } from "./restore-queries.ts";

export type RestoreInput = {
  /** What was acknowledged after this time may be lost. */
  since: Date;
  /** Undefined if it cannot be read any more. Then every code that could have been sold is set aside. */
  lost: Asked | undefined;
  onProgress?: (codes: number) => void;
};
type Asked = Pick<LostDatabase, "findCodes" | "listSold">;

/** What a run decides, before anything is changed. */
export type Choice = {
  /** In stock, and to be set aside. */
  setAside: string[];
  /** Set aside earlier, and now known to be sold, or not. */
  sold: string[];
  unsold: string[];
  /** Digests of sold codes that only the lost database knows. */
  unknown: Buffer[];
};

const CODES_AT_ONCE = 5_000;
/** A code gets its time before it is committed. */
const MARGIN_MS = 10 * 60_000;

/** The lost database is asked before the transaction begins. No process sells meanwhile. */
export async function chooseCodes(
  db: Db,
  { since, lost, onProgress = () => {} }: RestoreInput,
): Promise<Choice> {
  const choice: Choice = { setAside: [], sold: [], unsold: [], unknown: [] };
  let seen = 0;
  const tell = (codes: number) => {
    seen += codes;
    onProgress(seen);
  };
  for await (const codes of pagesOf((page) => listStock(db, page))) {
    const old = codes.filter(({ createdAt }) => createdAt <= since);
    if (lost) choice.setAside.push(...(await separate(lost, codes, since)).sold);
    else choice.setAside.push(...old.map(({ id }) => id));
    tell(codes.length);
  }
  if (!lost) return choice;
  for await (const codes of pagesOf((page) => listHeldCodes(db, page))) {
    const { sold, unsold } = await separate(lost, codes, since);
    choice.sold.push(...sold);
    choice.unsold.push(...unsold);
    tell(codes.length);
  }
  const from = new Date(since.getTime() - MARGIN_MS);
  for await (const codes of pagesOf(({ afterId, limit }) => lost.listSold(from, afterId, limit))) {
    choice.unknown.push(
      ...(await findUnknown(
        db,
        codes.map(({ digest }) => digest),
      )),
    );
    tell(codes.length);
  }
  return choice;
}

/** A code that both databases must know and the other does not means that it is not the one from before this restore. */
async function separate(
  lost: Asked,
  codes: readonly StockCode[],
  since: Date,
): Promise<{ sold: string[]; unsold: string[] }> {
  const found = await lost.findCodes(codes.map(({ digest }) => digest));
  const split: { sold: string[]; unsold: string[] } = { sold: [], unsold: [] };
  for (const { id, digest, createdAt } of codes) {
    const there = found.get(digest.toString("hex"));
    if (!there && createdAt <= since)
      throw new RangeError(
        `the lost database does not know ${id}, which is older than --since: it is not the database from before this restore`,
      );
    // Imported after the restore, and never there.
    if (!there || there.isInStock) split.unsold.push(id);
    else split.sold.push(id);
  }
  return split;
}

async function* pagesOf<Row extends { id: string }>(
  list: (page: CodePage) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let afterId = ""; ; ) {
    const rows = await list({ afterId, limit: CODES_AT_ONCE });
    if (rows.length === 0) return;
    yield rows;
    afterId = rows.at(-1)?.id ?? "";
  }
}
