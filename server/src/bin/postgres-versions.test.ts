import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { raw } from "sql-template-tag";
import { freshName, smoke } from "../../testing/app/smoke.ts";
import { findOtherPostgres, startOtherPostgres } from "../../testing/database/other-postgres.ts";
import { openTestServer } from "../../testing/database/test-server.ts";
import { connectDatabase, type Db } from "../db/database.ts";
import type { EmbeddedDatabase } from "../db/embedded/open-embedded.ts";
import { findRisks } from "../db/find-risks.ts";

let embedded: EmbeddedDatabase;
before(async () => {
  embedded = await openTestServer();
});
after(() => embedded.close());

const connect = (connectionString: string): Db =>
  connectDatabase({
    connectionString,
    applicationName: "scrip smoke admin",
    poolSize: 1,
    onConnectionLost: () => {},
  });

/** Runs the smoke in a database of its own. */
async function smokeOn(adminUrl: string): Promise<void> {
  const admin = connect(adminUrl);
  const name = freshName();
  try {
    await admin.rows(raw(`create database ${name}`));
    await smoke(adminUrl.replace(/[^/]*$/, name));
    await admin.rows(raw(`drop database ${name} with (force)`));
  } finally {
    await admin.close();
  }
}

test("migrate, start, order, webhook, revoke and audit work on the embedded PostgreSQL", () =>
  smokeOn(embedded.connectionString));

for (const installed of await findOtherPostgres()) {
  test(`the same on PostgreSQL ${installed.version} with its default settings`, async (t) => {
    const server = await startOtherPostgres(installed);
    t.after(server.stop);
    const db = connect(server.connectionString);
    t.after(db.close);
    assert.deepEqual(await findRisks(db), [], "it is safe as it comes");
    await smokeOn(server.connectionString);
  });
}
