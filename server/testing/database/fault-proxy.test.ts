import assert from "node:assert/strict";
import { test } from "node:test";
import sql from "sql-template-tag";
import { connectDatabase } from "../../src/db/database.ts";
import { startFaultProxy } from "./fault-proxy.ts";
import { createTestDatabase } from "./test-database.ts";

test("a fault occurs once, and one that is disarmed never does", async (t) => {
  const { connectionString, drop } = await createTestDatabase();
  t.after(drop);
  const proxy = await startFaultProxy(connectionString);
  t.after(proxy.close);
  const db = connectDatabase({
    connectionString: proxy.connectionString,
    applicationName: "scrip test",
    poolSize: 1,
    onConnectionLost: () => {},
  });
  t.after(db.close);
  const ask = () => db.rows(sql`select 1 as one`);
  assert.deepEqual(await ask(), [{ one: 1 }]);

  const armed = proxy.arm(/^select 1/, "cut-before");
  proxy.arm(/^select 1/, "cut-before").disarm();
  await assert.rejects(ask());
  await armed.struck;
  assert.deepEqual(await ask(), [{ one: 1 }]);
  armed.disarm();
  assert.deepEqual(await ask(), [{ one: 1 }]);
});
