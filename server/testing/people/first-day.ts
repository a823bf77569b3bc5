import { evaluateAlerts } from "../../src/alerts/evaluate-alerts.ts";
import { FULFILMENT_LIMITS } from "../../src/fulfilment/limits.ts";
import { createSupplierCalls } from "../../src/fulfilment/supplier-calls.ts";
import { runNextJob } from "../../src/jobs/run-job.ts";
import { createLog } from "../../src/lib/log.ts";
import { parseAmountLimits } from "../../src/lib/money.ts";
import { PRICING_DEFAULTS } from "../../src/lib/settings/pricing-config.ts";
import { followSale } from "../../src/pricing/follow-sale.ts";
import { recomputeChanged } from "../../src/pricing/recompute-prices.ts";
import { countFacts } from "../../src/reports/count-facts.ts";
import { watchNextReversals } from "../../src/suppliers/reconcile/watch-reversals.ts";
import { refreshSupply } from "../../src/suppliers/refresh-supply.ts";
import { createTestApp } from "../app/test-app.ts";
import { createTestFulfiller } from "../builders/fulfilment.ts";
import { openJobDeps } from "../builders/job-desk.ts";
import { createHandClock, type HandClock } from "../hand-clock.ts";
import { freePort } from "../processes/free-port.ts";
import { DTONE_LOGIN } from "../upstream/dtone-dialect.ts";
import { RELOADLY_LOGIN } from "../upstream/reloadly-dialect.ts";
import { SECRETS, startSupplierFake } from "../upstream/supplier-fakes.ts";
import { openConsoleOn } from "./console-desk.ts";

const HOUR_MS = 3_600_000;
const DUAL_CONTROL = "1000";

/** What a supplier sells: a card of a brand, at a cost in USD. */
export type Card = {
  sku: string;
  brand: string;
  value: number;
  /** Of its value. USD by default. */
  currency?: string;
  costMinor: number;
  /** Charged instead of the cost. */
  chargedMinor?: number;
  /** The supplier can take it back. */
  reverses?: boolean;
};

/** An installation in which there is nothing, on ports of this machine, and two suppliers that it does not know yet. */
export async function openFirstDay(
  start: Date,
  cards: Readonly<Record<"reloadly" | "dtone", readonly Card[]>>,
) {
  const clock = createHandClock(start);
  const [shopPort, consolePort] = [await freePort(), await freePort()];
  const [shopUrl, url] = [`http://127.0.0.1:${shopPort}`, `http://127.0.0.1:${consolePort}`];
  const scrip = await createTestApp({ clock, url: shopUrl });
  const desk = await openConsoleOn(scrip, { url, shopUrl, dualControlAbove: DUAL_CONTROL });
  const { db } = scrip;
  const fakes = {
    reloadly: await startCards("reloadly", cards.reloadly, clock),
    dtone: await startCards("dtone", cards.dtone, clock),
  };
  const log = createLog("silent", { write: () => {} });
  const { closeSuppliers, ...calls } = createSupplierCalls({ ...scrip, log }, FULFILMENT_LIMITS);
  const worker = createTestFulfiller(scrip, { changes: calls });
  const dualControl = parseAmountLimits(DUAL_CONTROL);
  const jobs = { ...(await openJobDeps(db, clock)), ...scrip, log, dualControl };
  const settings = PRICING_DEFAULTS.pricing;
  await desk.console.listen({ host: "127.0.0.1", port: consolePort });
  await scrip.app.listen({ host: "127.0.0.1", port: shopPort });
  return {
    ...{ scrip, desk, clock, url, shopUrl, fakes },
    /** What the operator has of a supplier before it is added. */
    loginAt(kind: keyof typeof fakes) {
      const user = kind === "reloadly" ? RELOADLY_LOGIN.clientId : DTONE_LOGIN.apiKey;
      return { user, secret: SECRETS[kind], address: fakes[kind].fake.baseUrl };
    },
    /** What workers do by and by: jobs, orders, prices, reports, alerts. */
    async work() {
      while (await runNextJob(jobs));
      await worker.drain();
      await refreshSupply(db, undefined, clock.now());
      await recomputeChanged({ db, clock, settings });
      await followSale({ db, clock, settings });
      while (await countFacts({ db, clock }));
      await evaluateAlerts({ db, clock, consoleUrl: url });
    },
    /** What they do once an hour. */
    async readBooks() {
      clock.advance(HOUR_MS);
      while (await watchNextReversals({ db, clock, log, openSupplier: calls.openSupplier }));
    },
    async close() {
      await closeSuppliers();
      await desk.console.close();
      await scrip.close();
      await Promise.all(Object.values(fakes).map(({ fake }) => fake.close()));
    },
  };
}

/** A supplier that sells these cards and keeps its books by the clock. */
function startCards(kind: "reloadly" | "dtone", cards: readonly Card[], clock: HandClock) {
  const bySku = new Map(cards.map((card) => [card.sku, card]));
  const view: (card: Card) => object = kind === "reloadly" ? reloadlyCard : dtoneCard;
  return startSupplierFake(kind, {
    seed: 1,
    now: () => clock.now(),
    products: () => cards.map(view),
    faults({ sku }) {
      const { costMinor = 0, chargedMinor = costMinor, reverses = false } = bySku.get(sku) ?? {};
      return {
        kind: "sale",
        course: { stages: ["completed"], priceMinor: chargedMinor, reverses },
        steps: {},
      };
    },
  });
}

const dollars = (minor: number): number => Number((minor / 100).toFixed(2));

const reloadlyCard = ({ sku, brand, value, costMinor, currency = "USD" }: Card) => ({
  productId: Number(sku),
  productName: `${brand} US`,
  denominationType: "FIXED",
  recipientCurrencyCode: currency,
  senderCurrencyCode: "USD",
  senderFee: 0,
  fixedRecipientDenominations: [value],
  fixedRecipientToSenderDenominationsMap: { [value.toFixed(1)]: dollars(costMinor) },
  brand: { brandId: 1, brandName: brand },
  country: { isoName: "US", name: "United States" },
});

const dtoneCard = ({ sku, brand, value, costMinor, currency = "USD" }: Card) => ({
  id: Number(sku),
  name: `${brand} ${value} USD`,
  type: "FIXED_VALUE_PIN_PURCHASE",
  operator: { id: 1, name: brand, country: { iso_code: "USA", name: "United States" } },
  destination: { amount: value, unit: currency, unit_type: "CURRENCY" },
  prices: { wholesale: { amount: dollars(costMinor), fee: 0, unit: "USD", unit_type: "CURRENCY" } },
});

/** A statement of the operator's bank account in EUR as camt.053: what was paid, with which text. */
export const bankStatement = (payments: Readonly<Record<string, string>>): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
   <Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><GrpHdr/><Stmt>
   <Acct><Id><IBAN>DE89370400440532013000</IBAN></Id></Acct>${Object.entries(payments)
     .map(
       ([amount, text], index) =>
         `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2030-06-03</Dt></BookgDt>
         <AcctSvcrRef>B${index}</AcctSvcrRef><NtryDtls><TxDtls><RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`,
     )
     .join("")}</Stmt></BkToCstmrStmt></Document>`;
