import { rehearse } from "../../db/rehearse.ts";
import { endOf } from "../../fx/choose-rate.ts";
import { listCurrentRates } from "../../fx/queries.ts";
import { setRate } from "../../fx/set-rate.ts";
import { explainPrice } from "../../pricing/explain-price.ts";
import { sayBlocked, sayPrice } from "../../pricing/explanation.ts";
import { countNotForSale } from "../../pricing/not-for-sale.ts";
import { countProposals, listProposals } from "../../pricing/proposal-queries.ts";
import { publishPrices } from "../../pricing/publish-prices.ts";
import { listRules } from "../../pricing/rule-queries.ts";
import { removeRule, setRule } from "../../pricing/set-rule.ts";
import { listMissing } from "../../reports/needs-queries.ts";
import { defineForm } from "../../web/form/define-form.ts";
import { textField } from "../../web/form/text-fields.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { countText } from "../../web/parts/money.ts";
import { sayRefusal } from "../say-refusal.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace, provedBy } from "../session.ts";
import { notForSalePages } from "./not-for-sale-page.ts";
import { RATE_OPTIONS, rateForm } from "./rate-form.ts";
import { type PricesPage, renderPrices } from "./render-prices.ts";
import { RULE_OPTIONS, ruleForm, ruleText } from "./rule-form.ts";

const PROPOSALS_SHOWN = 100;
type Load = (ctx: ConsoleContext) => Promise<PricesPage>;

const publishForm = defineForm({
  id: textField({ label: "Proposal", maxLength: 18 }),
  upTo: textField({ label: "Up to", maxLength: 18 }),
});
const removeForm = defineForm({ id: textField({ label: "Rule", required: true, maxLength: 40 }) });

/** Rules, what waits to be published, and why a price is what it is. Nothing here reaches a reseller before it is published. */
export function pricePages(face: ConsoleFace, deps: ConsoleDeps): void {
  const load: Load = (ctx) => loadPrices(deps, ctx);
  ratePages(face, deps, load);
  notForSalePages(face, deps);
  face.page({
    path: "/prices",
    permission: "prices.read",
    load,
    render: (page, ctx) => renderPrices(page, ctx),
  });
  face.action({
    path: "/prices/publish",
    permission: "prices.publish",
    form: publishForm,
    does: async (typed, ctx) => {
      const chosen = chosenBy(typed);
      await sayRefusal(rehearse(deps, ({ db }) => publishPrices(db, deps.clock, byOf(ctx), chosen)));
      return `Publish ${"ids" in chosen ? "the proposed price" : "all proposed prices that you saw"}. Orders pay the new prices from then on.`;
    },
    run: async (typed, ctx) => {
      const by = provedBy(ctx);
      const chosen = chosenBy(typed);
      const { published } = await sayRefusal(publishPrices(deps.db, deps.clock, by, chosen));
      return redirect("/prices", `Published ${countText(published)}. Orders pay the new prices from now on.`);
    },
    again: async (state, ctx) => renderPrices(await load(ctx), ctx, { error: state.formError }),
  });
  face.action({
    path: "/prices/rules",
    permission: "prices.edit",
    form: ruleForm,
    once: true,
    run: async (typed, ctx) => {
      await sayRefusal(setRule(deps.db, deps.clock, byOf(ctx), ruleText(typed)), RULE_OPTIONS);
      return redirect("/prices", "The rule is set. Its prices are worked out in a moment.");
    },
    again: async (state, ctx) => renderPrices(await load(ctx), ctx, { rule: state }),
  });
  face.action({
    path: "/prices/rules/remove",
    permission: "prices.edit",
    form: removeForm,
    run: async ({ id }, ctx) => {
      await sayRefusal(removeRule(deps.db, deps.clock, byOf(ctx), id));
      return redirect("/prices", "The rule was removed. Prices that it gave are worked out again.");
    },
    again: async (state, ctx) => renderPrices(await load(ctx), ctx, { error: state.formError }),
  });
}

/** A pin is stronger than every other rate and moves every price that rests on it. */
function ratePages(face: ConsoleFace, deps: ConsoleDeps, load: Load): void {
  face.action({
    path: "/prices/rates",
    permission: "prices.publish",
    form: rateForm,
    once: true,
    does: async ({ pair, rate, until }, ctx) => {
      const input = { pair: pair.toUpperCase(), rate, until };
      await sayRefusal(
        rehearse(deps, ({ db }) => setRate(db, deps.clock, byOf(ctx), input)),
        RATE_OPTIONS,
      );
      return `Pin the rate of ${input.pair} at ${rate}. Every price that rests on it is worked out again.`;
    },
    run: async ({ pair, rate, until }, ctx) => {
      const by = provedBy(ctx);
      const input = { pair: pair.toUpperCase(), rate, until };
      await sayRefusal(setRate(deps.db, deps.clock, by, input), RATE_OPTIONS);
      return redirect(
        "/prices",
        `${input.pair} is pinned. Prices that rest on it are worked out in a moment.`,
      );
    },
    again: async (state, ctx) => renderPrices(await load(ctx), ctx, { rate: state }),
  });
}

const chosenBy = ({ id, upTo }: { id: string; upTo: string }) =>
  upTo === "" ? { ids: [numberOf(id)] } : { upToId: numberOf(upTo) };

const numberOf = (text: string): bigint => (/^\d{1,18}$/.test(text) ? BigInt(text) : 0n);

async function loadPrices(deps: ConsoleDeps, ctx: ConsoleContext): Promise<PricesPage> {
  const { db } = deps;
  const asked = { product: ctx.query.product?.trim() ?? "", reseller: ctx.query.reseller?.trim() ?? "" };
  const [proposals, counted, rules, rates, explained, unsold, missing] = await Promise.all([
    listProposals(db, { afterId: 0n, limit: PROPOSALS_SHOWN }),
    countProposals(db),
    listRules(db, ctx.now),
    listCurrentRates(db),
    explain(deps, asked),
    countNotForSale(db),
    listMissing(db),
  ]);
  const { rateMaxAgeMs } = deps.pricing;
  return {
    proposals,
    ...counted,
    rules,
    rates: rates.map((rate) => ({ ...rate, usableUntil: endOf(rate, rateMaxAgeMs) })),
    asked,
    explained,
    unsold,
    missing,
  };
}

async function explain(
  { db, clock, pricing }: ConsoleDeps,
  { product, reseller }: PricesPage["asked"],
): Promise<PricesPage["explained"]> {
  if (product === "" || reseller === "") return undefined;
  try {
    const asked = { productId: product, resellerId: reseller };
    const explained = await explainPrice(db, clock, pricing, asked);
    const blocked = explained.blocked === undefined ? "" : ` ${sayBlocked(explained.blocked)}`;
    return { sentence: `${sayPrice(explained)}${blocked}` };
  } catch (error) {
    if (error instanceof RangeError) return { refused: error.message };
    throw error;
  }
}
