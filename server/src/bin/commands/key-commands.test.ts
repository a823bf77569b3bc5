import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { TEST_MASTER_KEY } from "../../../testing/app/test-settings.ts";
import { openScripDesk, type ScripDesk } from "../../../testing/processes/scrip-desk.ts";
import { listActivity } from "../../activity/list-activity.ts";

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

test("a velocity limit is set and ended, and a frozen key is unfrozen", async () => {
  const create = ["key", "create", "--reseller", resellerId, "--env", "live", "--velocity", "10"];
  const { id, velocity } = await desk.json<{ id: string; velocity: number }>(create);
  assert.equal(velocity, 10);
  await scrip.db.rows(sql`update api_keys set frozen_at = now() where id = ${id}`);
  assert.match((await desk.run(["key", "list", "--reseller", resellerId])).stdout, /frozen/);
  const unfrozen = await desk.json<{ frozenAt?: string }>(["key", "unfreeze", id]);
  assert.equal(unfrozen.frozenAt, undefined);
  const team = { kind: "reseller", resellerId } as const;
  const { data } = await listActivity(scrip.db, team, { action: "key.unfrozen" }, { limit: 10 });
  assert.deepEqual(
    data.map(({ object }) => object.id),
    [id],
  );
  for (const wrong of ["1", "1001", "2.5", "many"]) {
    const refused = await desk.run(["key", "edit", id, "--velocity", wrong]);
    assert.match(refused.stderr, /whole number from 2 to 1000/, wrong);
  }
  const ended = await desk.json<{ velocity?: number }>(["key", "edit", id, "--velocity", "none"]);
  assert.equal(ended.velocity, undefined);
});
