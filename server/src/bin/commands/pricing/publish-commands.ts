import type { Command } from "commander";
import type { By } from "../../../activity/record-activity.ts";
import { explainPrice } from "../../../pricing/explain-price.ts";
import { moneyView, toExplanation } from "../../../pricing/explanation.ts";
import { readBasis } from "../../../pricing/price-basis.ts";
import { countProposals, listProposals, type Proposal } from "../../../pricing/proposal-queries.ts";
import { publishPrices } from "../../../pricing/publish-prices.ts";
import { recomputeAll } from "../../../pricing/recompute-prices.ts";
import type { Context } from "../../open-context.ts";
import { plural, showMoney } from "../../output/format.ts";
import { table } from "../../output/table.ts";
import { listed, required, text, UsageError, verb } from "../../verb.ts";
import { limitOf } from "../read-options.ts";

const BY: By = { actor: { kind: "command", id: "scrip" } };
const PROPOSALS_MAX = 10_000;
const PROPOSALS_DEFAULT = "100";

/** The verbs of `scrip price` about prices that are worked out from rules. */
export function publishCommands(price: Command): void {
  proposeCommand(price);
  publishCommand(price);
  explainCommand(price);
}

const deps = ({ db, clock, config }: Context) => ({ db, clock, settings: config.pricing });

function proposeCommand(price: Command): void {
  verb(
    price
      .command("propose")
      .description("work out all prices now; list those that wait to be published")
      .option("--limit <n>", `maximum number to list, up to ${PROPOSALS_MAX}`, PROPOSALS_DEFAULT),
    async (context, options) => {
      const limit = limitOf(options, PROPOSALS_MAX);
      const done = await recomputeAll(deps(context));
      const [{ count }, rows] = [
        await countProposals(context.db),
        await listProposals(context.db, { afterId: 0n, limit }),
      ];
      return {
        products: done.products,
        published: done.publish,
        withheld: done.unsellable,
        proposals: count,
        data: rows.map(toView),
        hasMore: count > rows.length,
      };
    },
    (result) =>
      [
        `Worked out the prices of ${plural(result.products, "product")}: ${result.published} published, ${result.withheld} withheld.`,
        ...(result.withheld === 0 ? [] : ["See which, and why: scrip catalog not-for-sale"]),
        result.data.length === 0 ? "Nothing waits to be published." : proposalTable(result.data),
        ...(result.hasMore ? [`${result.proposals} in all; use --limit.`] : []),
        ...(result.data.length === 0 ? [] : ["Publish them: scrip price publish --all"]),
      ].join("\n"),
  );
}

function publishCommand(price: Command): void {
  verb(
    price
      .command("publish")
      .description("publish proposed prices, in one transaction")
      .option("--all", "all proposals")
      .option("--ids <list>", "only these, separated by commas"),
    async ({ db, clock }, options, more) => {
      const ids = text(options, "ids");
      if ((options.all === true) === (ids !== undefined)) throw new UsageError("use either --all or --ids");
      if (ids === undefined) {
        const { lastId } = await countProposals(db);
        return publishPrices(db, clock, BY, { upToId: lastId });
      }
      return publishPrices(db, clock, BY, { ids: [...(listed(ids) ?? []), ...more].map(parseId) });
    },
    ({ published }) =>
      published === 0 ? "Nothing waits to be published." : `Published ${plural(published, "price")}.`,
  );
}

function parseId(id: string): bigint {
  if (!/^\d{1,18}$/.test(id)) throw new UsageError(`"${id}" is not the id of a proposal, which is a number`);
  return BigInt(id);
}

function explainCommand(price: Command): void {
  verb(
    price
      .command("explain")
      .description("say why a price is what it is: rule, cost, rate, floor, result")
      .requiredOption("--product <id>", "the product")
      .requiredOption("--reseller <id>", "the reseller"),
    async ({ db, clock, config }, options) =>
      toExplanation(
        await explainPrice(db, clock, config.pricing, {
          productId: required(options, "product"),
          resellerId: required(options, "reseller"),
        }),
      ),
    ({ sentence }) => sentence,
  );
}

const toView = (row: Proposal) => {
  const money = (minor: bigint | null) => (minor === null ? null : moneyView(minor, row.currency));
  const margin = (minor: bigint | null) =>
    minor === null || row.landedMinor === null ? null : moneyView(minor - row.landedMinor, row.currency);
  return {
    id: row.id.toString(),
    productId: row.productId,
    list: row.priceList || undefined,
    resellerId: row.resellerId || undefined,
    currency: row.currency,
    old: money(row.oldMinor),
    new: money(row.newMinor),
    marginBefore: margin(row.oldMinor),
    marginAfter: margin(row.newMinor),
    rule: readBasis(row.basis).rule || null,
    floorReached: row.atFloor,
  };
};

type ProposalView = ReturnType<typeof toView>;

const proposalTable = (rows: readonly ProposalView[]): string => {
  const show = (money: ProposalView["old"]): string =>
    money === null ? "–" : showMoney(money.amount, money.currency);
  return table(
    [
      { heading: "ID", right: true },
      "PRODUCT",
      "FOR",
      { heading: "OLD", right: true },
      { heading: "NEW", right: true },
      { heading: "MARGIN BEFORE", right: true },
      { heading: "AFTER", right: true },
    ],
    rows.map((row) => [
      row.id,
      row.productId,
      row.resellerId ?? `list ${row.list}`,
      show(row.old),
      show(row.new),
      show(row.marginBefore),
      show(row.marginAfter),
    ]),
  );
};
