import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { TEST_MASTER_KEY } from "../../../testing/app/test-settings.ts";
import { openScripDesk, type ScripDesk } from "../../../testing/processes/scrip-desk.ts";

let scrip: TestApp;
let desk: ScripDesk;
let resellerId: string;

before(async () => {
  scrip = await createTestApp();
  desk = openScripDesk({
    DATABASE_URL: scrip.connectionString,
    SCRIP_MASTER_KEY: TEST_MASTER_KEY.toString("base64"),
  });
  ({ id: resellerId } = await scrip.addReseller());
});

after(() => scrip.close());

type Key = { id: string; maxOrder?: string; maxDay?: string; currency?: string };
const caps = ({ maxOrder, maxDay, currency }: Key) => [maxOrder, maxDay, currency];

test("a key is created with spend caps, which are changed and ended later", async () => {
  const create = ["key", "create", "--reseller", resellerId, "--env", "test"];
  const created = await desk.json<Key>([...create, "--max-order", "500.00", "--max-day", "5000"]);
  assert.deepEqual(caps(created), ["500.00", "5000.00", "USD"]);
  const edit = ["key", "edit", created.id];
  assert.deepEqual(caps(await desk.json<Key>([...edit, "--max-day", "20.5"])), ["500.00", "20.50", "USD"]);
  const ended = await desk.json<Key>([...edit, "--max-day", "none", "--max-order", "none"]);
  assert.deepEqual(caps(ended), [undefined, undefined, undefined]);
  const refused = await desk.run([...edit, "--max-order", "0.001"]);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /limit of an order must be an amount in USD above zero, such as 500\.00/);
});
