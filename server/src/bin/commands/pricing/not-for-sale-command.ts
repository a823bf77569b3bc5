import type { Command } from "commander";
import { followSaleNow } from "../../../pricing/follow-sale.ts";
import { listNotForSale, type NotForSale, SALE_REASONS, SALE_WORDS } from "../../../pricing/not-for-sale.ts";
import { listWarned } from "../../../pricing/warn-about-reseller.ts";
import { showTime } from "../../output/format.ts";
import { table } from "../../output/table.ts";
import { text, verb } from "../../verb.ts";
import { choiceOf, limitOf } from "../read-options.ts";

const LIMIT_MAX = 10_000;
const LIMIT_DEFAULT = "1000";

export function notForSaleCommand(catalog: Command): void {
  verb(
    catalog
      .command("not-for-sale")
      .description(
        "what cannot be bought, by product and price list or reseller: why, since when, and what to do",
      )
      .option("--reason <reason>", SALE_REASONS.join(", "))
      .option("--price-list <name>", "only this price list")
      .option("--reseller <id>", "only what this reseller cannot buy")
      .option("--search <words>", "only products whose id, name or brand has all of these words")
      .option("--after <cursor>", "the next page: what follows this cursor")
      .option("--limit <n>", `maximum number, up to ${LIMIT_MAX}`, LIMIT_DEFAULT),
    async ({ db, clock, config }, options) => {
      const deps = { db, clock, settings: config.pricing };
      // The list is right even if no server runs.
      await followSaleNow(deps);
      const filter = {
        reason: choiceOf(options, "reason", SALE_REASONS),
        priceList: text(options, "priceList"),
        resellerId: text(options, "reseller"),
        words: text(options, "search")
          ?.split(/\s+/)
          .filter((word) => word !== ""),
      };
      const page = { after: text(options, "after"), limit: limitOf(options, LIMIT_MAX) };
      const { data, next } = await listNotForSale(db, filter, page);
      const warned = await listWarned(deps);
      return {
        data: data.map(toView),
        ...(warned.length === 0 ? {} : { resellers: warned }),
        ...(next === undefined ? {} : { nextCursor: next }),
      };
    },
    ({ data, resellers = [], nextCursor }) =>
      [
        data.length === 0 ? "Everything can be bought." : showEntries(data),
        ...resellers.flatMap(({ id, name, warnings }) => warnings.map((one) => `${id} (${name}): ${one}`)),
        ...(nextCursor === undefined ? [] : [`More: the same command with --after ${nextCursor}`]),
      ].join("\n"),
  );
}

type View = { priceList?: string; resellerId?: string } & ReturnType<typeof toView>;

const toView = (one: NotForSale) => ({
  productId: one.productId,
  ...(one.resellerId === "" ? { priceList: one.priceList } : { resellerId: one.resellerId }),
  currency: one.currency,
  reason: one.reason,
  since: one.since.toISOString(),
  next: SALE_WORDS[one.reason].next,
});

const showEntries = (data: readonly View[]): string =>
  table(
    ["PRODUCT", "FOR", "CURRENCY", "REASON", "SINCE (UTC)", { heading: "NEXT", optional: true }],
    data.map((one) => [
      one.productId,
      one.resellerId ?? `list ${one.priceList}`,
      one.currency,
      SALE_WORDS[one.reason].label,
      showTime(one.since),
      one.next,
    ]),
  );
