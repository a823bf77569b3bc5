import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestFulfiller } from "../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../testing/builders/shop.ts";
import { addSupplierRow } from "../../testing/builders/supply-builders.ts";
import {
  createScriptedSupplier,
  lost,
  notFound,
  refused,
  sold,
} from "../../testing/upstream/scripted-supplier.ts";
import { createDatabaseClock } from "../db/database-clock.ts";
import type { Clock } from "../lib/clock.ts";
import { FULFILMENT_LIMITS } from "./limits.ts";

const LEAP_MS = 60_000;

let shop: Shop;
before(async () => {
  shop = await openShop();
});
after(() => shop.close());

/**
 * A purchase is sent and not answered. The clock of the worker's machine leaps twice by a minute, and within a second of real time the
 * supplier refuses the purchase that is sent again: the first one may still be on its way. Returns what the two suppliers were asked.
 */
async function leapTwice(clockOf: (system: Clock) => Promise<Clock>) {
  const { scrip, clock: real } = shop;
  let aheadMs = 0;
  const clock = await clockOf({ now: () => new Date(real.now().getTime() + aheadMs) });
  const ids = [
    await addSupplierRow(scrip.db, { kind: "scrip", resendAfterMs: FULFILMENT_LIMITS.arrivalMs }),
    await addSupplierRow(scrip.db, { kind: "scrip", resendAfterMs: FULFILMENT_LIMITS.arrivalMs }),
  ] as const;
  const first = createScriptedSupplier(lost, notFound, notFound, refused("out_of_stock"), notFound);
  const second = createScriptedSupplier(sold("bought a second time"));
  const suppliers = { [ids[0]]: first, [ids[1]]: second };
  const worker = createTestFulfiller({ ...scrip, clock }, { suppliers, limits: { lookFirstMs: 100 } });
  await shop.order([await shop.addBought(...ids), 1]);
  for (const leapMs of [0, 0, LEAP_MS, LEAP_MS]) {
    aheadMs += leapMs;
    real.advance(250);
    await worker.drain();
  }
  return { first: first.asked.map((text) => text.split(" ")[0]), second: second.asked };
}

test("two leaps of a worker's clock buy nothing twice, because its time is the database's", async () => {
  const { first, second } = await leapTwice((system) => {
    const { clock: real } = shop;
    return createDatabaseClock({
      system,
      steadyMs: () => real.now().getTime(),
      read: async () => real.now(),
    });
  });
  assert.deepEqual(second, [], "the first purchase may still arrive");
  assert.ok(first.filter((verb) => verb === "buy").length === 1, first.join());
});

test("with the time of its own machine the worker would ask the next supplier", async () => {
  const { second } = await leapTwice(async (system) => system);
  assert.equal(second.length, 1);
});
