import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addProducts } from "../../../../testing/builders/builders.ts";
import { addRouteRow, addSupplierRow } from "../../../../testing/builders/supply-builders.ts";
import { createTestDatabase, type TestDatabase } from "../../../../testing/database/test-database.ts";
import { openScripDesk, type ScripDesk } from "../../../../testing/processes/scrip-desk.ts";
import { systemClock } from "../../../lib/clock.ts";
import { getPriceGuard } from "../../../suppliers/overcharges/price-limits.ts";
import { stopOvercharge } from "../../../suppliers/overcharges/route-pauses.ts";

let database: TestDatabase;
let scrip: ScripDesk;
let supplierId: string;

before(async () => {
  database = await createTestDatabase();
  scrip = openScripDesk({ DATABASE_URL: database.connectionString });
  await addProducts(database.db, [{ id: "card" }]);
  supplierId = await addSupplierRow(database.db, { kind: "reloadly" });
  await addRouteRow(database.db, { productId: "card", supplierId, costMinor: 975n, currency: "USD" });
});
after(() => database.drop());

test("scrip route list says why a route is paused, scrip alert list too, and scrip route enable ends it", async () => {
  await stopOvercharge(database.db, systemClock, {
    ...{ productId: "card", supplierId, price: { amountMinor: 1_024n, currency: "USD" } },
    purchase: { orderId: "ord_1", lineIndex: 0, unitIndex: 0, attempt: 1 },
    limit: { expectedMinor: 975n, maxMinor: 994n, currency: "USD" },
  });
  const { data } = await scrip.json<{
    data: { paused?: { reason: string; charged: object; purchase: object } }[];
  }>(["route", "list"]);
  assert.equal(data[0]?.paused?.reason, "overcharged");
  assert.deepEqual(data[0]?.paused?.charged, { amount: 1_024, currency: "USD", minorUnitExponent: 2 });
  assert.deepEqual(data[0]?.paused?.purchase, { orderId: "ord_1", lineIndex: 0, unitIndex: 0, attempt: 1 });
  const alerts = await scrip.json<{ data: { kind: string }[] }>(["alert", "list"]);
  assert.ok(alerts.data.some(({ kind }) => kind === "route_overcharged"));
  const key = ["--product", "card", "--supplier", supplierId];
  assert.deepEqual(await scrip.json(["route", "enable", ...key]), {
    productId: "card",
    supplierId,
    enabled: true,
  });
  const missing = await scrip.run(["route", "enable", "--product", "none", "--supplier", supplierId]);
  assert.deepEqual(
    [missing.code, missing.stderr],
    [1, `scrip: there is no route of none to ${supplierId}\n`],
  );
});

test("scrip supplier update sets headroom and limits of overcharges; a wrong one changes nothing", async () => {
  const limits = ["--headroom", "1.5%", "--overcharge-times", "4", "--overcharge-above", "30"];
  await scrip.json(["supplier", "update", supplierId, ...limits]);
  const guard = async () => {
    const { disabled: _, ...rest } = await getPriceGuard(database.db, supplierId);
    return rest;
  };
  const set = { headroomBp: 150, overchargeTimes: 4, overchargeAboveBp: 3_000 };
  assert.deepEqual(await guard(), set);
  for (const wrong of [
    ["--headroom", "101%"],
    ["--overcharge-times", "0"],
    ["--overcharge-above", "some"],
  ]) {
    const { code, stderr } = await scrip.run(["supplier", "update", supplierId, ...wrong]);
    assert.deepEqual([code, stderr.startsWith(`scrip: ${wrong[0]} must be`)], [1, true], stderr);
  }
  assert.deepEqual(await guard(), set);
});
