import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addProducts, setSupply } from "../../testing/builders/builders.ts";
import {
  expectPlacement,
  type Model,
  type ModelBody,
  type ModelProduct,
  type ModelWallet,
  move,
  place,
  toView,
} from "../../testing/builders/order-model.ts";
import { createRandom, type Random, SEED } from "../../testing/seed.ts";
import { audit } from "../audit/audit.ts";
import { setHidden } from "../catalog/hide-product.ts";
import { setPrice } from "../catalog/prices/set-price.ts";
import { moveFunds } from "../wallet/move-funds.ts";

const RUNS = 3;
const STEPS = 250;
const FIELDS = ["account", "server"].map((key) => ({
  key,
  type: "text",
  required: false,
  regex: "",
  options: [],
}));

const PLAIN = { hidden: false, supply: "available", listPrice: undefined } as const;

type Wallet = ModelWallet & { key: string; sent: { key: string; body: ModelBody }[] };
/** The world of one run: a random generator, and both wallets of each of its two resellers. */
type World = { random: Random; wallets: Wallet[] };

let scrip: TestApp;
const model: Model = { products: new Map(), quantityMax: 10 };
const met = new Set<string>();

before(async () => {
  scrip = await createTestApp();
  const ids = ["card", "other", "top-up", "unpriced"];
  await addProducts(
    scrip.db,
    ids.map((id) => ({ id, inputFields: id === "top-up" ? FIELDS : [] })),
  );
  for (const id of ids) model.products.set(id, { id, ...PLAIN, ownPrices: new Map() });
  for (const id of ids.slice(0, 3)) await reprice(id, 1_000);
});

after(() => scrip.close());

for (let run = 0; run < RUNS; run += 1) {
  test(`${STEPS} random steps leave every order, balance and statement as a simple model predicts (run ${run})`, async (t) => {
    t.diagnostic(`seed ${SEED}`);
    const world: World = { random: createRandom(SEED + run), wallets: await addWallets() };
    for (let step = 0; step < STEPS; step += 1) {
      const name = world.random.pick(STEP_NAMES);
      await STEPS_BY_NAME[name](world).catch((cause: unknown) => {
        throw new Error(`seed ${SEED}, run ${run}, step ${step}: ${name}`, { cause });
      });
    }
    for (const wallet of world.wallets) await compare(wallet);
    const { ok, invariants } = await audit(scrip.db);
    assert.ok(ok, JSON.stringify(invariants));
  });
}

test("the steps covered every response in the model", () => {
  const answers =
    "idempotency_conflict insufficient_funds not_found out_of_stock placed price_changed product_not_purchasable quantity_out_of_range replayed";
  assert.equal([...met].sort().join(" "), answers, `seed ${SEED}`);
});

async function addWallets(): Promise<Wallet[]> {
  const wallets: Wallet[] = [];
  for (const environment of ["live", "test", "live", "test"] as const) {
    const resellerId =
      environment === "live" ? (await scrip.addReseller()).id : (wallets.at(-1)?.resellerId ?? "");
    const { key } = await scrip.addKey(resellerId, { env: environment });
    const empty = { balance: 0, entries: [], orders: [], bound: new Map(), sent: [] };
    const wallet = { resellerId, environment, key, ...empty };
    wallets.push(wallet);
    if (environment === "test") move(wallet, { type: "deposit", amount: 100_000_000, note: "Test funds" });
  }
  return wallets;
}

const STEPS_BY_NAME = {
  place: async (world: World) =>
    send(world, pickWallet(world), `key-${world.random.below(200)}`, anyBody(world)),
  replay: async (world: World) => {
    const wallet = pickWallet(world);
    const sent = wallet.sent[world.random.below(wallet.sent.length)];
    if (sent) await send(world, wallet, sent.key, sent.body);
  },
  conflict: async (world: World) => {
    const wallet = pickWallet(world);
    const sent = world.random.pick([...wallet.sent, { key: "key-none", body: anyBody(world) }]);
    await send(world, wallet, sent.key, changeOne(world.random, sent.body));
  },
  elsewhere: async (world: World) => {
    const { key, body } = world.random.pick(
      pickWallet(world).sent.concat({ key: "key-e", body: anyBody(world) }),
    );
    await send(world, pickWallet(world), key, body);
  },
  credit: (world: World) => moveMoney(world, "credit"),
  debit: (world: World) => moveMoney(world, "debit"),
  reprice: async (world: World) => {
    const owner = world.random.chance(0.3) ? pickWallet(world).resellerId : undefined;
    await reprice(world.random.pick(["card", "other", "top-up"]), 100 + world.random.below(3_000), owner);
  },
  hide: async ({ random }: World) => setVisible(random.pick(["card", "other"]), random.chance(0.7)),
  supply: async ({ random }: World) =>
    supplyWith(
      random.pick(["card", "other", "top-up"]),
      random.pick(["none", "empty", "available", "available", "available"]),
    ),
};
/** Orders are the most frequent step. */
const STEP_NAMES = [
  ...(Object.keys(STEPS_BY_NAME) as (keyof typeof STEPS_BY_NAME)[]),
  "place",
  "place",
  "credit",
] as const;

const pickWallet = ({ random, wallets }: World): Wallet => random.pick(wallets);

function anyBody(world: World): ModelBody {
  const { random } = world;
  const lines = Array.from({ length: 1 + random.below(3) }, () => {
    const productId = random.pick(random.chance(0.1) ? ["unpriced", "missing"] : ["card", "other", "top-up"]);
    const inputFields = { account: String(random.below(3)), server: "s" };
    const quantity = random.chance(0.05) ? 11 : 1 + random.below(3);
    return { productId, quantity, ...(productId === "top-up" && random.chance(0.8) ? { inputFields } : {}) };
  });
  const reference = random.chance(0.5) ? { reference: `ref-${random.below(5)}` } : {};
  const expectedTotal = random.chance(0.1) ? { expectedTotal: 1_000 * lines.length } : {};
  return { lines, ...reference, ...expectedTotal };
}

async function send(world: World, wallet: Wallet, key: string, body: ModelBody): Promise<void> {
  const expected = expectPlacement(model, wallet, key, body);
  met.add(expected.kind === "refused" ? expected.code : expected.kind);
  wallet.sent.push({ key, body });
  const reply = await scrip.call("POST", "/v1/orders", {
    key: wallet.key,
    headers: { "content-type": "application/json", "idempotency-key": key },
    body: spell(world.random, body),
  });
  if (expected.kind === "refused") {
    assert.deepEqual([reply.statusCode, reply.json().code], [expected.status, expected.code]);
    return;
  }
  const { order } = reply.json();
  assert.equal(reply.statusCode, 202, reply.body);
  assert.equal(reply.headers["idempotent-replayed"], expected.kind === "replayed" ? "true" : undefined);
  const total = { amount: expected.order.total, currency: "USD" };
  assert.deepEqual(order, { id: order.id, status: "pending", total });
  if (expected.kind === "replayed") assert.equal(order.id, expected.order.id);
  else place(wallet, key, body, { ...expected.order, id: order.id });
}

/** Another request that differs in exactly one thing. */
function changeOne(random: Random, body: ModelBody): ModelBody {
  const [line = { productId: "card", quantity: 1 }, ...others] = body.lines;
  return random.pick([
    { ...body, reference: `${body.reference ?? ""}x` },
    { ...body, lines: [{ ...line, quantity: (line.quantity % 3) + 1 }, ...others] },
    { ...body, lines: [{ productId: "card", quantity: line.quantity }, ...others] },
    { ...body, lines: [{ ...line, productId: "top-up", inputFields: { account: "4" } }, ...others] },
    { ...body, lines: [...others, line, line] },
  ]);
}

/** The same request in one of many spellings: numbers or text, members in another order, an empty map or none. */
function spell(random: Random, { lines, ...rest }: ModelBody): string {
  const turned = lines.map(({ productId, quantity, inputFields }) => {
    const { account, server } = inputFields ?? {};
    const values = {
      server,
      account: account !== undefined && random.chance(0.5) ? Number(account) : account,
    };
    const given = inputFields ? { inputFields: values } : random.chance(0.3) ? { inputFields: {} } : {};
    return random.chance(0.5) ? { ...given, quantity, productId } : { productId, quantity, ...given };
  });
  return JSON.stringify(random.chance(0.5) ? { ...rest, lines: turned } : { lines: turned, ...rest });
}

async function moveMoney(world: World, direction: "credit" | "debit"): Promise<void> {
  const wallet = pickWallet(world);
  const amount = 1 + world.random.below(direction === "credit" ? 8_000 : 4_000);
  const note = `${direction} ${amount}`;
  const input = { direction, amount: (amount / 100).toFixed(2), note };
  const isDeposit = direction === "credit";
  const entry = { type: isDeposit ? "deposit" : "adjustment", amount: isDeposit ? amount : -amount, note };
  const moved = moveFunds(scrip.db, scrip.clock, wallet, input);
  if (move(wallet, entry)) assert.equal(Number((await moved).balanceMinor), wallet.balance);
  else await assert.rejects(moved, /less than/);
}

async function reprice(productId: string, price: number, resellerId?: string): Promise<void> {
  const product = productOf(productId);
  if (resellerId === undefined) product.listPrice = price;
  else product.ownPrices.set(resellerId, price);
  const target =
    resellerId === undefined
      ? ({ kind: "list", priceList: "standard", currency: "USD" } as const)
      : ({ kind: "reseller", resellerId, currency: "USD" } as const);
  await setPrice(scrip.db, scrip.clock, {
    productId,
    target,
    amount: (price / 100).toFixed(2),
    strike: undefined,
  });
}

async function setVisible(productId: string, isVisible: boolean): Promise<void> {
  productOf(productId).hidden = !isVisible;
  await setHidden(scrip.db, scrip.clock, productId, !isVisible);
}

async function supplyWith(productId: string, supply: ModelProduct["supply"]): Promise<void> {
  productOf(productId).supply = supply;
  await setSupply(scrip.db, [productId], supply);
}

function productOf(id: string): ModelProduct {
  const product = model.products.get(id);
  assert.ok(product);
  return product;
}

/** Compares everything that the API returns about a wallet, page by page, with the model. */
async function compare(wallet: Wallet): Promise<void> {
  const { balance } = (await scrip.call("GET", "/v1/balance", { key: wallet.key })).json();
  assert.equal(balance.amount, wallet.balance);
  const entries = (await readAll(wallet, "/v1/wallet/entries")).map(
    ({ id: _id, createdAt: _at, ...entry }) => entry,
  );
  const expectedEntries = wallet.entries.map((entry) => ({ ...entry, currency: "USD" }));
  assert.deepEqual(entries.reverse(), expectedEntries);
  const orders = (await readAll(wallet, "/v1/orders")).map(
    ({ createdAt: _created, updatedAt: _updated, ...order }) => order,
  );
  assert.deepEqual(orders.reverse(), wallet.orders.map(toView));
}

type Item = Record<string, unknown>;

async function readAll(wallet: Wallet, path: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | undefined; cursor !== ""; ) {
    const page = (
      await scrip.call("GET", `${path}?limit=100&cursor=${cursor ?? ""}`, { key: wallet.key })
    ).json();
    items.push(...page.data);
    cursor = page.nextCursor;
  }
  return items;
}
