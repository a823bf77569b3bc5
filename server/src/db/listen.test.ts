import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { eventually } from "../../testing/eventually.ts";
import { createAnnouncer } from "./announce.ts";
import type { Db } from "./database.ts";
import { openHosts } from "./hosts.ts";
import { listen } from "./listen.ts";

let database: TestDatabase;
let db: Db;
before(async () => {
  database = await createTestDatabase();
  db = database.db;
});
after(() => database.drop());

const notify = (channel: string) => db.rows(sql`select pg_notify(${channel}, '')`);

const listenersBesides = (gone: readonly number[]) =>
  db.rows<{ pid: number }>(sql`
    select pid from pg_stat_activity
    where datname = current_database() and application_name = 'scrip test listener' and pid <> all(${gone}::integer[])`);

/** Counts notifications. The first one signals that it is listening. */
async function startListening(channel: string) {
  let heard = 0;
  const listener = db.listen(channel, () => {
    heard += 1;
  });
  const hears = (count: number) =>
    eventually(`${count} are heard on ${channel}`, async () => (heard >= count ? heard : undefined));
  await hears(1);
  return { listener, hears };
}

test("each NOTIFY on the channel is received, and none on another", async () => {
  const { listener, hears } = await startListening("orders");
  for (let told = 0; told < 3; told += 1) await notify("orders");
  assert.equal(await hears(4), 4);
  await notify("other");
  await notify("orders");
  assert.equal(await hears(5), 5);
  await listener.close();
});

test("a channel can have any name", async () => {
  const channel = 'Odd "Name"; drop table orders';
  const { listener, hears } = await startListening(channel);
  await notify(channel);
  assert.equal(await hears(2), 2);
  await listener.close();
});

test("every listener receives what an announcer sends", async () => {
  const ears = await Promise.all([startListening("announced"), startListening("announced")]);
  const announce = createAnnouncer(db, "announced");
  announce();
  await Promise.all(ears.map(({ hears }) => hears(2)));
  await Promise.all(ears.map(({ listener }) => listener.close()));
});

test("a listener whose backend was terminated listens again and checks for what it missed", async () => {
  const { listener, hears } = await startListening("broken");
  const ended: number[] = [];
  for (let time = 0; time < 2; time += 1) {
    const [backend] = await listenersBesides(ended);
    assert.ok(backend);
    await db.rows(sql`select pg_terminate_backend(${backend.pid})`);
    ended.push(backend.pid);
    const count = 2 + 2 * time;
    await hears(count);
    assert.equal((await listenersBesides(ended)).length, 1, "one connection, not one for each break");
    await notify("broken");
    assert.equal(await hears(count + 1), count + 1);
  }
  await listener.close();
  await eventually("the connection is lost", async () =>
    (await listenersBesides([])).length === 0 ? true : undefined,
  );
});

test("a listener can be closed before it has started, twice, and during an outage", async () => {
  const early = db.listen("early", () => {});
  await early.close();
  await early.close();
  const nobody = { hosts: openHosts("postgres://nobody@127.0.0.1:1/none"), applicationName: "scrip test" };
  const away = listen(nobody, "away", () => assert.fail("there is no server to listen to"));
  await away.close();
  await eventually("no connection is left", async () =>
    (await listenersBesides([])).length === 0 ? true : undefined,
  );
});
