import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import sql from "sql-template-tag";
import { createTestDatabase } from "./test-database.ts";
import { testDataDir } from "./test-server.ts";
import { throughSocket } from "./test-socket.ts";

test("the database of a test is reached through a socket, and the network asks for the password", async (t) => {
  const { db, connectionString, drop } = await createTestDatabase();
  t.after(drop);
  const [row] = await db.rows<{ address: string | null }>(sql`select host(inet_client_addr()) as address`);
  // A temporary folder with a very long name has no room for a socket.
  const isTooDeep = throughSocket(testDataDir(), connectionString) === connectionString;
  assert.equal(row?.address, isTooDeep ? "127.0.0.1" : null);
  const url = new URL(connectionString);
  assert.equal(url.hostname, "127.0.0.1");
  url.password = "wrong";
  await assert.rejects(new pg.Client({ connectionString: url.href }).connect(), { code: "28P01" });
});

test("without a socket the connection string stays as it is", () => {
  const connectionString = "postgres://scrip:secret@127.0.0.1:5432/scrip";
  assert.equal(throughSocket("/nowhere", connectionString), connectionString);
});
