import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import { freshName, smoke } from "../../testing/app/smoke.ts";
import { makeGermanLocale, speaksGerman } from "../../testing/database/german-locale.ts";
import { findOtherPostgres, startOtherPostgres } from "../../testing/database/other-postgres.ts";
import { openTestServer } from "../../testing/database/test-server.ts";
import { isWide } from "../../testing/full-size.ts";
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

  // Errors are told apart by their codes, whatever language the messages are in.
  if (isWide() && speaksGerman(installed))
    test(`the same on PostgreSQL ${installed.version} with German messages`, async (t) => {
      const { settings, env, remove } = await makeGermanLocale();
      t.after(remove);
      const server = await startOtherPostgres(installed, settings, env);
      t.after(server.stop);
      const db = connect(server.connectionString);
      t.after(db.close);
      await assert.rejects(db.rows(sql`select 1 / 0`), /Division durch Null/);
      await smokeOn(server.connectionString);
    });
}
