import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { verifyWebhook } from "@scrip/sdk";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { addEvent } from "../../../testing/builders/webhook-builders.ts";
import { isWide } from "../../../testing/full-size.ts";
import { type ForkedNode, forkNode } from "../../../testing/processes/fork-node.ts";
import { type RunningListen, startListen } from "../../../testing/processes/start-listen.ts";
import { type HookReceiver, startHookReceiver } from "../../../testing/receivers/hook-receiver.ts";
import { wideTest } from "../../../testing/wide-test.ts";
import { generateKey } from "../../keys/key-format.ts";
import { firstIdAt } from "../../lib/ids.ts";

const SECRET = "whsec_dGhpcyBpcyB0aGUgc2VjcmV0IG9mIHRoZXNlIHRlc3Rz";

let scrip: TestApp;
let apiUrl: string;
/** Everything that any of the commands printed, and every key that none of it may hold. */
const said: string[] = [];
const keys: string[] = [];

before(async () => {
  scrip = await createTestApp();
  apiUrl = await scrip.app.listen({ host: "127.0.0.1", port: 0 });
});
after(() => scrip.close());

const startServer = (port = 0): Promise<ForkedNode> =>
  forkNode("server", { connectionString: scrip.connectionString, port, limits: {} });

type Owner = { resellerId: string; environment: "test" | "live"; key: string };

async function addOwner(environment: "test" | "live"): Promise<Owner> {
  const { id: resellerId } = await scrip.addReseller();
  const { key } = await scrip.addKey(resellerId, { env: environment });
  keys.push(key);
  return { resellerId, environment, key };
}

function listenAs(owner: Pick<Owner, "key">, args: readonly string[], url = apiUrl): RunningListen {
  const running = startListen(["--api-url", url, ...args], {
    SCRIP_API_KEY: owner.key,
    SCRIP_WEBHOOK_SECRET: SECRET,
  });
  running.finished.then(({ stdout, stderr }) => void said.push(stdout, stderr));
  return running;
}

/** Its ids in the order of arrival, after each was verified. */
async function verifiedIds({ hooks }: HookReceiver, secret = SECRET): Promise<string[]> {
  const ids: string[] = [];
  for (const { body, headers } of hooks) {
    const event = await verifyWebhook(body, headers, secret);
    assert.deepEqual(
      [
        headers["service-event-id"],
        headers["service-event-type"],
        headers["content-type"],
        headers["user-agent"],
      ],
      [event.id, event.type, "application/json", "Scrip-Webhooks/1"],
    );
    ids.push(event.id);
  }
  return ids;
}

/** With the id that belongs to its time: those of this process never go back. */
function secondsAgo(seconds: number): { id: string; at: Date } {
  const at = new Date(Date.now() - seconds * 1_000);
  return { id: firstIdAt("evt", at.getTime()), at };
}

// Two at a time: more would wait for one another to start.
describe("scrip listen", { concurrency: 2 }, () => {
  wideTest("events arrive once a receiver or the API is back", async (t) => {
    const owner = await addOwner("live");
    const api = await startServer();
    t.after(api.kill);
    const first = await startHookReceiver();
    const listening = listenAs(owner, ["--forward-to", first.url], api.url);
    await listening.prints(/live events of paid orders.*Ready/s);
    await first.close();
    const early = await addEvent(scrip.db, owner);
    await listening.prints(/→ connection refused in \d+ ms, retrying in 2 s/);
    await api.kill();
    const receiver = await startHookReceiver(first.port);
    t.after(receiver.close);
    const meanwhile = await addEvent(scrip.db, owner);
    await listening.prints(/is not responding correctly \(connection_failed\); retrying/);
    const restarted = await startServer(api.port);
    t.after(restarted.stop);
    await listening.prints(/is back/);
    const late = await addEvent(scrip.db, owner);
    await receiver.gets(3);
    listening.process.kill("SIGTERM");
    const { code, stdout } = await listening.finished;
    assert.equal(code, 0);
    assert.equal(stdout.match(/retrying\./g)?.length, 1, "it is printed once");
    assert.deepEqual(await verifiedIds(receiver), [early, meanwhile, late]);
  });

  test("forwards new events, each once, in order, signed, and byte for byte as stored", async (t) => {
    const owner = await addOwner("test");
    const receiver = await startHookReceiver();
    t.after(receiver.close);
    await addEvent(scrip.db, { ...owner, ...secondsAgo(2) });
    await addEvent(scrip.db, { ...owner, ...secondsAgo(600) });
    const listening = listenAs(owner, ["--forward-to", receiver.url]);
    await listening.prints(/Ready/);
    await addEvent(scrip.db, { ...owner, environment: "live" });
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.push(await addEvent(scrip.db, owner));
    await receiver.gets(3);
    // Made before the others, and committed after them.
    ids.push(await addEvent(scrip.db, { ...owner, ...secondsAgo(30), type: "order.refunded" }));
    await receiver.gets(4);

    listening.process.kill("SIGINT");
    const { code, stdout, stderr } = await listening.finished;
    assert.deepEqual([code, stderr], [0, ""]);
    assert.deepEqual(await verifiedIds(receiver), ids);
    const rows = await scrip.db.rows<{ id: string; body: string; orderId: string }>(
      sql`select id, body, order_id as "orderId" from events where id = any(${ids})`,
    );
    for (const [index, id] of ids.entries()) {
      const { body, orderId } = rows.find((row) => row.id === id) ?? {};
      assert.equal(receiver.hooks[index]?.body, body);
      assert.equal(receiver.hooks[index]?.path, "/hook?from=scrip");
      assert.match(
        stdout,
        new RegExp(`^\\d\\d:\\d\\d:\\d\\d  order\\.\\w+ +${id}  ${orderId}  → 200 in \\d+ ms$`, "m"),
      );
    }
    const [greeting] = stdout.split("\n", 1);
    assert.equal(greeting, `Listening to sandbox events at ${apiUrl}, forwarding to ${receiver.url}`);
    assert.match(stdout, /\n4 events forwarded\.\n$/);
  });

  test("--since includes earlier events, --events filters by type, --json prints one document per line", async (t) => {
    const owner = await addOwner("test");
    const receiver = await startHookReceiver();
    t.after(receiver.close);
    await addEvent(scrip.db, { ...owner, ...secondsAgo(4_000), type: "order.refunded" });
    const wanted = await addEvent(scrip.db, { ...owner, ...secondsAgo(3_000), type: "order.refunded" });
    await addEvent(scrip.db, { ...owner, ...secondsAgo(2_000) });
    const running = startListen(
      [
        "--api-url",
        apiUrl,
        "--forward-to",
        receiver.url,
        "--json",
        "--since",
        "1h",
        "--events",
        "order.refunded",
      ],
      { SCRIP_API_KEY: owner.key },
    );
    await receiver.gets(1);
    const live = await addEvent(scrip.db, { ...owner, type: "order.refunded" });
    await receiver.gets(2);
    running.process.kill("SIGINT");
    const { code, stdout, stderr } = await running.finished;
    said.push(stdout, stderr);
    assert.equal(code, 0);
    const secret = /^Signing secret for this session: (whsec_[A-Za-z0-9+/]{43}=)$/m.exec(stderr)?.[1] ?? "";
    assert.deepEqual(await verifiedIds(receiver, secret), [wanted, live]);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ eventId, type, attempt, result, status }) => [eventId, type, attempt, result, status]),
      [wanted, live].map((id) => [id, "order.refunded", 1, "delivered", 200]),
    );
  });

  test("an unknown key ends it with exit code 1 and the reason in one line", async () => {
    const key = generateKey("test");
    keys.push(key);
    const { code, stderr } = await listenAs({ key }, ["--forward-to", "http://127.0.0.1:9/"]).finished;
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^scrip: the API key is unknown, expired or revoked \(401, unauthenticated, req_\w+\)\n$/,
    );
  });

  test("a usage error exits with 2 and one sentence, before any request", async () => {
    const { key } = await addOwner("test");
    const cases: [string[], Record<string, string>, RegExp][] = [
      [["--forward-to", key], { SCRIP_API_KEY: key }, /^scrip: --forward-to must be an http or https URL/],
      [["--forward-to", "http://x/", key], {}, /^error: too many arguments for 'listen'.*sc_test_…/],
    ];
    await Promise.all(
      cases.map(async ([args, env, reason]) => {
        const { code, stdout, stderr } = await startListen(args, env).finished;
        said.push(stdout, stderr);
        assert.deepEqual([code, stdout], [2, ""]);
        assert.match(stderr, reason);
      }),
    );
  });
});

test("no output contains a key or a given secret", () => {
  assert.equal(said.length, 2 * (isWide() ? 6 : 5));
  for (const text of said) for (const secret of [...keys, SECRET]) assert.ok(!text.includes(secret));
});
