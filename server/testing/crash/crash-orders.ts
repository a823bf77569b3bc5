import assert from "node:assert/strict";
import sql from "sql-template-tag";
import { sweep } from "../../src/fulfilment/sweep.ts";
import { testCode } from "../../src/sandbox/test-code.ts";
import { type Buyer, balanceOf, postOrder } from "../builders/buyers.ts";
import { PRICE_MINOR } from "../builders/shop.ts";
import { type Plan, sale } from "../upstream/upstream-faults.ts";
import { type CrashStory, type OrderEnd, readEnd, soldFor } from "./crash-story.ts";
import type { CrashTrack } from "./crash-track.ts";

/** How often the story can run before its stock is sold out. */
const STOCK = 500;

const refuses: Plan = { kind: "refuses", course: { refusal: "out_of_stock" }, steps: {} };
const repeatsCode: Plan = {
  kind: "repeats",
  course: { stages: ["completed"], repeatsCode: true },
  steps: {},
};

const delivered = { status: "completed", units: "delivered", failureCodes: null, codes: "delivered" };
const refunded = { status: "refunded", units: "refunded", codes: null };

type Chapter = { quantity: number; end: OrderEnd /** By each upstream. */; sold: readonly number[] };

/** The outcome of each order, wherever its worker dies. */
const CHAPTERS = {
  stocked: { quantity: 1, end: { ...delivered, attempts: "delivered" }, sold: [0, 0] },
  short: {
    quantity: 2,
    end: {
      ...delivered,
      units: "delivered, refunded",
      failureCodes: "out_of_stock",
      attempts: "delivered, refused",
    },
    sold: [0, 0],
  },
  accepted: { quantity: 1, end: { ...delivered, attempts: "delivered" }, sold: [1, 0] },
  secondChoice: {
    quantity: 2,
    end: {
      ...delivered,
      units: "delivered, delivered",
      attempts: "refused, delivered, refused, delivered",
      codes: "delivered, delivered",
    },
    sold: [0, 2],
  },
  refused: {
    quantity: 1,
    end: { ...refunded, failureCodes: "out_of_stock", attempts: "refused, refused" },
    sold: [0, 0],
  },
  repeated: {
    quantity: 1,
    end: {
      ...refunded,
      failureCodes: "temporarily_unavailable",
      attempts: "quarantined",
      codes: "quarantined duplicate",
    },
    sold: [1, 0],
  },
} satisfies Record<string, Chapter>;
const SANDBOX_END: OrderEnd = { ...delivered, attempts: null };
/** Of all live orders together. */
const UNITS_DELIVERED = 5;

type Name = keyof typeof CHAPTERS;
const NAMES = Object.keys(CHAPTERS) as Name[];

/** Orders that end in every possible way. */
export async function openOrdersStory(track: CrashTrack): Promise<CrashStory> {
  const { shop } = track;
  const sandbox = await addSandboxKey(track);
  const products = await addProducts(track);
  const seen = new Set<string>();
  let round = 0;
  let before: Amounts;
  let liveIds: string[];
  let sandboxId: string;

  return {
    async crash(killAt) {
      round += 1;
      await shop.addCodes(products.short, [{ type: "code", code: `${products.short}-${round}` }]);
      before = await readAmounts(track, sandbox, products.stocked);
      const lines = [{ productId: products.stocked, quantity: 1 }];
      const [reply, ...ids] = await track.place(() =>
        Promise.all([
          postOrder(shop.scrip, sandbox, `sandbox-${round}`, { lines }),
          ...NAMES.map((name) => shop.order([products[name], CHAPTERS[name].quantity])),
        ]),
      );
      sandboxId = reply.json().order.id;
      liveIds = ids;
      return track.crash(killAt);
    },
    async check() {
      for (const [index, name] of NAMES.entries()) await assertEnded(track, name, liveIds[index] ?? "", seen);
      assert.deepEqual(await readEnd(track, sandboxId), SANDBOX_END);
      const expectedCode = testCode(`sandbox-${round}`, 0, 0);
      assert.deepEqual(await readCodes(track, sandbox, sandboxId), [expectedCode]);
      assert.deepEqual(await readAmounts(track, sandbox, products.stocked), {
        liveMinor: before.liveMinor - UNITS_DELIVERED * PRICE_MINOR,
        sandboxMinor: before.sandboxMinor - PRICE_MINOR,
        stock: before.stock - 1,
      });
      // The process that took the last code may have died before it updated the supply. Then the sweep does.
      await sweep(track.worker.deps);
      assert.deepEqual(await readSupply(track, [products.stocked, products.short]), ["available", "empty"]);
    },
  };
}

async function addSandboxKey({ shop }: CrashTrack): Promise<Buyer> {
  const { id: keyId, key } = await shop.scrip.addKey(shop.buyer.resellerId, { env: "test" });
  return { ...shop.buyer, environment: "test", keyId, key };
}

async function addProducts(track: CrashTrack): Promise<Record<Name, string>> {
  const products = {
    stocked: await track.shop.addStocked(STOCK),
    short: await track.shop.addStocked(0),
    accepted: await track.addBought(sale(["pending", "completed"])),
    secondChoice: await track.addBought(refuses, sale(["completed"])),
    refused: await track.addBought(refuses, refuses),
    repeated: await track.addBought(repeatsCode),
  };
  // Sold once here, so that all later sales repeat it.
  await track.place(() => track.shop.order([products.repeated, 1]));
  await track.worker.workUntilDone();
  return products;
}

type Amounts = { liveMinor: number; sandboxMinor: number; stock: number };

async function readAmounts({ shop }: CrashTrack, sandbox: Buyer, productId: string): Promise<Amounts> {
  const { db } = shop.scrip;
  const stock = await db.rows(sql`select from codes where product_id = ${productId} and state = 'stock'`);
  return {
    liveMinor: await balanceOf(db, shop.buyer),
    sandboxMinor: await balanceOf(db, sandbox),
    stock: stock.length,
  };
}

/** What the buyer reads was sold for this order or came from stock, and was not read before. */
async function assertEnded(track: CrashTrack, name: Name, orderId: string, seen: Set<string>): Promise<void> {
  const { end, sold }: Chapter = CHAPTERS[name];
  assert.deepEqual(await readEnd(track, orderId), end, name);
  const purchases = soldFor(track, orderId);
  assert.deepEqual(
    purchases.map((of) => of.length),
    sold,
    name,
  );
  if (end.status !== "completed") return;
  const codes = await readCodes(track, track.shop.buyer, orderId);
  const bought = purchases.flat().map(({ code }) => code);
  if (bought.length > 0) assert.deepEqual(codes.toSorted(), bought.toSorted(), name);
  for (const code of codes) {
    assert.ok(!seen.has(code), `a code of ${name} was already delivered`);
    seen.add(code);
  }
}

async function readCodes({ shop }: CrashTrack, { key }: Buyer, orderId: string): Promise<string[]> {
  const reply = await shop.scrip.call("GET", `/v1/orders/${orderId}/codes`, { key });
  assert.equal(reply.statusCode, 200, reply.body);
  return reply.json().data.map(({ code }: { code: string }) => code);
}

async function readSupply({ shop }: CrashTrack, productIds: readonly string[]): Promise<string[]> {
  const rows = await shop.scrip.db.rows<{ state: string }>(sql`
    select state from unnest(${productIds}::text[]) with ordinality as asked (product_id, place)
    join product_supply using (product_id) order by place`);
  return rows.map(({ state }) => state);
}
