import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addProducts } from "../../testing/builders/builders.ts";
import {
  addBuyer,
  addCard,
  type Buyer,
  balanceOf,
  CARD,
  CARD_PRICE_MINOR,
  ordersOf,
} from "../../testing/builders/buyers.ts";
import { type Answer, type ApiProcess, startApiProcess } from "../../testing/processes/start-api-process.ts";
import { createRandom, SEED } from "../../testing/seed.ts";
import { audit } from "../audit/audit.ts";
import { setPrice } from "../catalog/prices/set-price.ts";
import { changeKey } from "../keys/change-key.ts";
import { createKey } from "../keys/create-key.ts";
import { moveFunds } from "../wallet/move-funds.ts";
import { listEntryRows } from "../wallet/queries.ts";

const CALLERS = 64;
const ORDERS_PER_CALLER = 4;
const STORM = 200;
const PRICES_MIN = 30;

let scrip: TestApp;
let processes: ApiProcess[];

before(async () => {
  scrip = await createTestApp();
  await addCard(scrip.db);
  processes = await Promise.all([1, 2].map(() => startApiProcess(scrip.connectionString, STORM)));
});

after(async () => {
  await Promise.all(processes.map((one) => one.stop()));
  await scrip.close();
});

/** Sent to the two processes in turn. */
function post(nth: number, buyer: Buyer, idempotencyKey: string, body: object): Promise<Answer> {
  const api = processes[nth % processes.length];
  assert.ok(api);
  return api.post("/v1/orders", buyer.key, body, { "idempotency-key": idempotencyKey });
}

const cards = (quantity: number) => ({ lines: [{ productId: CARD, quantity }] });

/** All callers concurrently, each one order after another. Returns what each order asked for and its response. */
async function spend(
  buyers: readonly Buyer[],
  quantityOf: () => number,
): Promise<{ buyer: Buyer; totalMinor: number; answer: Answer }[]> {
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    const made = [];
    for (let nth = 0; nth < ORDERS_PER_CALLER; nth += 1) {
      const buyer = buyers[caller % buyers.length] as Buyer;
      const quantity = quantityOf();
      const answer = await post(caller + nth, buyer, `spend-${caller}-${nth}`, cards(quantity));
      made.push({ buyer, totalMinor: quantity * CARD_PRICE_MINOR, answer });
    }
    return made;
  });
  return (await Promise.all(callers)).flat();
}

async function checkWallet(buyer: Buyer, expectedMinor: number): Promise<void> {
  const entries = await listEntryRows(scrip.db, buyer, { before: undefined, limit: 10_000 });
  assert.equal(await balanceOf(scrip.db, buyer), expectedMinor);
  assert.equal(
    entries.reduce((sum, entry) => sum + Number(entry.amountMinor), 0),
    expectedMinor,
  );
  assert.ok(entries.every((entry) => entry.balanceAfterMinor >= 0n));
}

async function checkAudit(): Promise<void> {
  const { ok, invariants } = await audit(scrip.db);
  assert.ok(ok, JSON.stringify(invariants));
  assert.equal(processes.map((one) => one.logged()).join(""), "", "a process logged a warning or an error");
}

for (const wallets of [1, 4]) {
  test(`${CALLERS} callers of two processes spend ${wallets} underfunded wallet(s): exactly as many orders as it can pay for`, async () => {
    const affordable = Array.from({ length: wallets }, (_, index) => 20 + 7 * index);
    const buyers = await Promise.all(affordable.map((count) => addBuyer(scrip, amountFor(count))));
    const made = await spend(buyers, () => 1);
    for (const [index, buyer] of buyers.entries()) {
      const answers = made.filter((one) => one.buyer === buyer).map((one) => one.answer);
      const accepted = answers.filter(({ status }) => status === 202);
      assert.equal(accepted.length, affordable[index]);
      const refused = answers.filter(({ status }) => status !== 202).map(({ body }) => JSON.parse(body).code);
      assert.deepEqual([...new Set(refused)], ["insufficient_funds"]);
      const ids = accepted.map(({ body }) => JSON.parse(body).order.id);
      const stored = await ordersOf(scrip.db, buyer);
      assert.deepEqual(
        ids.sort(),
        stored.map(({ id }) => id),
        "the acknowledged orders are the stored ones",
      );
      await checkWallet(buyer, CARD_PRICE_MINOR - 1);
    }
    await checkAudit();
  });
}

test(`${CALLERS} callers of two processes spend two keys' daily caps: exactly as many orders as fit`, async () => {
  const buyer = await addBuyer(scrip);
  const { resellerId, environment } = buyer;
  const about = { name: "", scopes: undefined, allowedIps: [], expiresAt: undefined };
  const deps = { db: scrip.db, clock: scrip.clock, pepper: scrip.secrets.pepper };
  const limits = { maxDay: amountFor(31) };
  const other = await createKey(deps, { resellerId, environment, ...about, limits });
  await changeKey(scrip, buyer.keyId, { limits: { maxDay: amountFor(50) } });
  const keys = [buyer, { ...buyer, keyId: other.id, key: other.key }];
  const made = await spend(keys, () => 1);
  for (const [index, most] of [50, 31].entries()) {
    const answers = made.filter((one) => one.buyer === keys[index]).map(({ answer }) => answer);
    const accepted = answers
      .filter(({ status }) => status === 202)
      .map(({ headers }) => headers.date?.slice(0, 16));
    // Midnight UTC begins a new day's cap.
    const days = [...Map.groupBy(accepted, (day) => day).values()].map(({ length }) => length);
    if (days.length === 1) assert.deepEqual(days, [most]);
    const refused = answers.filter(({ status }) => status !== 202).map(({ body }) => JSON.parse(body).code);
    if (days.length === 1) assert.deepEqual([...new Set(refused)], ["spend_limit_reached"]);
  }
  await checkAudit();
});

/** Enough for this many cards, and one unit too little for the next. */
const amountFor = (count: number): string => (((count + 1) * CARD_PRICE_MINOR - 1) / 100).toFixed(2);

test("orders of many sizes: refused orders cost more than what is left, and the sums agree", async () => {
  const random = createRandom(SEED);
  const buyer = await addBuyer(scrip, amountFor(100));
  const made = await spend([buyer], () => 1 + random.below(5));
  const accepted = made.filter(({ answer }) => answer.status === 202);
  const spentMinor = accepted.reduce((sum, { totalMinor }) => sum + totalMinor, 0);
  const leftMinor = 101 * CARD_PRICE_MINOR - 1 - spentMinor;
  await checkWallet(buyer, leftMinor);
  for (const { totalMinor, answer } of made) {
    assert.ok(
      answer.status === 202 || totalMinor > leftMinor,
      `${answer.body} with ${leftMinor} left (seed ${SEED})`,
    );
  }
  await checkAudit();
});

test("money that is credited while 64 callers spend is spent too, once", async () => {
  const buyer = await addBuyer(scrip, "10.00");
  const credits = Array.from({ length: 20 }, () =>
    moveFunds(scrip.db, scrip.clock, buyer, { direction: "credit", amount: "5.00", note: "" }),
  );
  const [made] = await Promise.all([spend([buyer], () => 1), ...credits]);
  const accepted = made.filter(({ answer }) => answer.status === 202).length;
  assert.ok(made.every(({ answer }) => [202, 402].includes(answer.status)));
  await checkWallet(buyer, 10_00 + 20 * 5_00 - accepted * CARD_PRICE_MINOR);
  await checkAudit();
});

test("while the price changes continuously, every order is placed at a price that was valid during its request", async () => {
  const buyer = await addBuyer(scrip, "100000.00");
  await addProducts(scrip.db, [{ id: "moving" }]);
  const repricing = await startRepricing("moving");
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    const made = [];
    do {
      const askedAtMs = performance.now();
      const key = `moving-${caller}-${made.length}`;
      const answer = await post(caller, buyer, key, { lines: [{ productId: "moving", quantity: 1 }] });
      assert.equal(answer.status, 202, answer.body);
      const price = JSON.parse(answer.body).order.total.amount;
      made.push({ askedAtMs, answeredAtMs: performance.now(), price });
    } while (repricing.count() < PRICES_MIN);
    return made;
  });
  const placed = (await Promise.all(callers)).flat();
  const prices = await repricing.stop();
  assert.ok(new Set(placed.map(({ price }) => price)).size > 1, "the price did not change meanwhile");
  for (const { askedAtMs, answeredAtMs, price } of placed) {
    const nth = prices.findIndex((one) => one.amountMinor === price);
    const heldUntilMs = prices[nth + 1]?.setAtMs ?? Number.POSITIVE_INFINITY;
    assert.ok(
      (prices[nth]?.beganAtMs ?? Number.POSITIVE_INFINITY) <= answeredAtMs,
      `${price} was not the price yet`,
    );
    assert.ok(heldUntilMs >= askedAtMs, `${price} was no longer the price`);
  }
  await checkAudit();
});

type SetPrice = { amountMinor: number; beganAtMs: number; setAtMs: number };

/** Raises the price by one cent repeatedly. `stop` returns when each price was being set. */
async function startRepricing(productId: string): Promise<{ count(): number; stop(): Promise<SetPrice[]> }> {
  const prices: SetPrice[] = [];
  const target = { kind: "list", priceList: "standard", currency: "USD" } as const;
  const raise = async () => {
    const amountMinor = 100 + prices.length;
    const beganAtMs = performance.now();
    const amount = (amountMinor / 100).toFixed(2);
    await setPrice(scrip.db, scrip.clock, { productId, target, amount, strike: undefined });
    prices.push({ amountMinor, beganAtMs, setAtMs: performance.now() });
  };
  await raise();
  let stopped = false;
  const loop = (async () => {
    while (!stopped) await raise();
  })();
  return {
    count: () => prices.length,
    async stop() {
      stopped = true;
      await loop;
      return prices;
    },
  };
}

for (const fresh of [true, false]) {
  const when = fresh ? "that is new" : "that is already bound";
  test(`a storm of ${STORM} requests on one key ${when}, with two bodies: one order, one debit, one winner`, async () => {
    const random = createRandom(SEED);
    const buyer = await addBuyer(scrip);
    const bodies = [
      { ...cards(1), reference: "one" },
      { ...cards(1), reference: "two" },
    ];
    if (!fresh) assert.equal((await post(0, buyer, "storm", bodies[1] ?? {})).status, 202);
    const storm = await Promise.all(
      Array.from({ length: STORM }, async (_, nth) => {
        const body = nth < 2 ? nth : Number(random.chance(0.3));
        return { body, answer: await post(nth, buyer, "storm", bodies[body] ?? {}) };
      }),
    );
    const [stored, ...others] = await ordersOf(scrip.db, buyer);
    assert.ok(stored && others.length === 0);
    const read = await processes[0]?.get(`/v1/orders/${stored.id}`, buyer.key);
    const winner = JSON.parse(read?.body ?? "").order.reference === "one" ? 0 : 1;
    if (!fresh) assert.equal(winner, 1);
    for (const { body, answer } of storm) {
      const reply = JSON.parse(answer.body);
      if (body === winner) assert.deepEqual([answer.status, reply.order?.id], [202, stored.id], answer.body);
      else assert.deepEqual([answer.status, reply.code], [409, "idempotency_conflict"]);
    }
    const first = storm.filter(
      ({ answer }) => answer.status === 202 && !answer.headers["idempotent-replayed"],
    );
    assert.equal(first.length, fresh ? 1 : 0, "one of them placed it and all others replayed it");
    await checkWallet(buyer, 1000_00 - CARD_PRICE_MINOR);
    await checkAudit();
  });
}
