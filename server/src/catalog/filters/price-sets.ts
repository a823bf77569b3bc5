import type { Db } from "../../db/database.ts";
import { createByteCache } from "../../lib/byte-cache.ts";
import { NO_ID } from "../../lib/slice.ts";
import {
  listListFlags,
  listOwnFlags,
  listPriced,
  type PriceFlags,
  type ScopeHeads,
  type ScopePosition,
} from "./index-queries.ts";
import { FILLED_AT_ONCE, NOTHING_READ, READ_AT_ONCE } from "./product-index.ts";
import { createSlotSet, type SlotSet } from "./slot-set.ts";

/** The products of one scope that have a price, that are not listed, and whose price is withheld, as bits. */
export type PriceSet = { priced: SlotSet; unlisted: SlotSet; withheld: SlotSet };

export type PriceSets = {
  /** The sets of a reseller and of its price list, up to these numbers. */
  sync(resellerId: string, heads: ScopeHeads): Promise<{ own: PriceSet; list: PriceSet }>;
};

const SETS_MAX_BYTES = 32 * 1024 * 1024;

type Kept = PriceSet & { position: ScopePosition; reading: Promise<void> | undefined };
type ReadSet = (set: Kept) => Promise<void>;
type ReadPriced = (afterId: string) => Promise<{ productId: string }[]>;
type ReadFlags = (after: ScopePosition) => Promise<PriceFlags[]>;

/**
 * Which products have a price, by price list and by reseller. A set is one bit for each product. The sets that are not in use are
 * dropped when there are too many. What callers ask for adds nothing: there is a set for each reseller and list only.
 */
export function createPriceSets(db: Db, slotOf: (productId: string) => number): PriceSets {
  const kept = createByteCache<Kept>(
    SETS_MAX_BYTES,
    ({ priced, unlisted, withheld }) => priced.bytes() + unlisted.bytes() + withheld.bytes(),
  );

  const sync = async (scope: string, head: bigint, read: ReadSet): Promise<PriceSet> => {
    const set = kept.get(scope) ?? emptySet();
    while (set.position.change < head) {
      set.reading ??= read(set).finally(() => {
        set.reading = undefined;
      });
      kept.set(scope, set);
      await set.reading;
      // Once more, because its size is known now.
      kept.set(scope, set);
    }
    return set;
  };

  return {
    async sync(resellerId, heads) {
      const { currency, priceList } = heads;
      const own = await sync(`reseller ${resellerId}`, heads.own, (set) =>
        readChanged(set, (after) => listOwnFlags(db, resellerId, after, READ_AT_ONCE), slotOf),
      );
      const list = await sync(`list ${currency} ${priceList}`, heads.list, (set) =>
        set.position === NOTHING_READ
          ? fillPriced(set, heads.list, (afterId) => listPriced(db, heads, afterId, FILLED_AT_ONCE), slotOf)
          : readChanged(set, (after) => listListFlags(db, heads, after, READ_AT_ONCE), slotOf),
      );
      return { own, list };
    },
  };
}

const emptySet = (): Kept => ({
  priced: createSlotSet(),
  unlisted: createSlotSet(),
  withheld: createSlotSet(),
  position: NOTHING_READ,
  reading: undefined,
});

/** Changes up to the head are committed, so that they are in what is read now. Later ones are read by their number. */
async function fillPriced(
  set: Kept,
  head: bigint,
  readPriced: ReadPriced,
  slotOf: (productId: string) => number,
): Promise<void> {
  let afterId = "";
  for (;;) {
    const rows = await readPriced(afterId);
    for (const { productId } of rows) set.priced.put(slotOf(productId), true);
    if (rows.length < FILLED_AT_ONCE) break;
    afterId = rows.at(-1)?.productId ?? "";
  }
  set.position = { change: head, id: NO_ID };
}

async function readChanged(
  set: Kept,
  readFlags: ReadFlags,
  slotOf: (productId: string) => number,
): Promise<void> {
  for (;;) {
    const rows = await readFlags(set.position);
    for (const { change, productId, isPriced, isUnlisted, isWithheld } of rows) {
      const slot = slotOf(productId);
      set.priced.put(slot, isPriced);
      set.unlisted.put(slot, isUnlisted);
      set.withheld.put(slot, isWithheld);
      set.position = { change, id: productId };
    }
    if (rows.length < READ_AT_ONCE) return;
  }
}
