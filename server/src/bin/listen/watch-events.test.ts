import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, type ScripEvent } from "@scrip/sdk";
import { firstIdAt } from "../../lib/ids.ts";
import { watchEvents } from "./watch-events.ts";

const API_KEY = "sc_test_watched";
const START_MS = Date.UTC(2030, 0, 31, 12);
const { signal } = new AbortController();

/** An API with nothing but events, whose clock and ours are moved by hand and an hour apart. */
function openApi() {
  const events: ScripEvent[] = [];
  const state = { passedMs: 0, requests: 0, failsAtRequest: 0, made: 0 };
  const answer = (query: URLSearchParams) => {
    const from = query.get("createdFrom");
    const fromId = from === null ? "" : firstIdAt("evt", Date.parse(from));
    const before = query.get("cursor") ?? "~";
    const limit = Number(query.get("limit"));
    const found = events
      .filter(({ id }) => id >= fromId && id < before)
      .sort((one, other) => (one.id < other.id ? 1 : -1));
    const data = found.slice(0, limit);
    const hasMore = found.length > limit;
    return { data, hasMore, nextCursor: hasMore ? data.at(-1)?.id : "" };
  };
  const client = createClient({
    baseUrl: "http://api.test",
    apiKey: API_KEY,
    retries: 0,
    fetch: async (url) => {
      state.requests += 1;
      if (state.requests === state.failsAtRequest) throw new TypeError("fetch failed");
      return Response.json(answer(new URL(url).searchParams));
    },
  });
  return {
    state,
    /** So many new ones, or one of a time that has passed. */
    happen(count = 1, agoMs = 0) {
      const names: string[] = [];
      for (let index = 0; index < count; index += 1) {
        state.made += 1;
        const atMs = START_MS + state.passedMs - agoMs;
        const id = firstIdAt("evt", atMs).slice(0, -6) + String(state.made).padStart(6, "0");
        const created_at = new Date(atMs).toISOString();
        events.push({
          id,
          type: "order.refunded",
          created_at,
          data: { order_id: "ord_1", status: "refunded" },
        });
        names.push(id);
      }
      return names;
    },
    watch: (sinceMs?: number) =>
      watchEvents({ events: client.events, nowMs: () => state.passedMs - 3_600_000 }, sinceMs),
  };
}

async function begin(api: ReturnType<typeof openApi>) {
  const watch = api.watch();
  await watch.begin(signal);
  return async () => (await watch.poll(signal)).map(({ id }) => id);
}

test("existing events are skipped, and new events are returned once and in order", async () => {
  const api = openApi();
  api.happen(3);
  const poll = await begin(api);
  assert.deepEqual(await poll(), []);
  api.state.passedMs += 1_000;
  const names = api.happen(3);
  assert.deepEqual(await poll(), names);
  assert.deepEqual(await poll(), []);
});

test("an event that is older than the first known event and commits later is returned", async () => {
  const api = openApi();
  api.state.passedMs += 50_000;
  api.happen(1);
  const poll = await begin(api);
  const late = api.happen(1, 49_000);
  assert.deepEqual(await poll(), late);
});

test("the first event ever is returned", async () => {
  const api = openApi();
  const poll = await begin(api);
  assert.deepEqual(await poll(), []);
  const names = api.happen(1);
  assert.deepEqual(await poll(), names);
  assert.deepEqual(await poll(), []);
});

test("--since a time: all events from that time, through all pages", async () => {
  const api = openApi();
  api.happen(1, 5_001);
  const names = [...api.happen(1, 5_000), ...api.happen(250, 0)];
  const watch = api.watch(START_MS - 5_000);
  await watch.begin(signal);
  assert.deepEqual(
    (await watch.poll(signal)).map(({ id }) => id),
    names,
  );
});

test("an event that commits late, below hundreds of newer ones, is returned within ten seconds", async () => {
  const api = openApi();
  const poll = await begin(api);
  api.state.passedMs += 50_000;
  api.happen(300);
  await poll();
  const late = api.happen(1, 49_000);
  const found: string[] = [];
  for (let second = 0; second < 10; second += 1) {
    api.state.passedMs += 1_000;
    found.push(...(await poll()));
  }
  assert.deepEqual(found, late);
});

test("a quiet poll after a rush is one request, and a minute later the rush is not read again at all", async () => {
  const api = openApi();
  const poll = await begin(api);
  api.happen(950);
  await poll();
  api.state.passedMs += 1_000;
  api.state.requests = 0;
  await poll();
  assert.equal(api.state.requests, 1);
  for (const waitMs of [80_000, 10_000]) {
    api.state.passedMs += waitMs;
    api.state.requests = 0;
    await poll();
  }
  assert.equal(api.state.requests, 1, "the whole window is one page");
});

test("all events of an hour without the API are returned afterwards", async () => {
  const api = openApi();
  api.happen(1);
  const poll = await begin(api);
  const names: string[] = [];
  for (let minute = 0; minute < 60; minute += 1) {
    api.state.passedMs += 60_000;
    names.push(...api.happen(2));
    api.state.failsAtRequest = api.state.requests + 1;
    await assert.rejects(poll, { code: "connection_failed" });
  }
  assert.deepEqual(await poll(), names);
});

test("a poll that fails between two pages returns nothing, and the next one everything", async () => {
  const api = openApi();
  const poll = await begin(api);
  const names = api.happen(150);
  api.state.failsAtRequest = api.state.requests + 2;
  await assert.rejects(poll);
  assert.deepEqual(await poll(), names);
  assert.deepEqual(await poll(), []);
});

test("too many events at once are refused with a hint", async () => {
  const api = openApi();
  const page = { data: [] as ScripEvent[], hasMore: true, nextCursor: "" };
  const endless = async function* () {
    for (let index = 0; ; index += 1)
      yield { ...page, data: Array.from({ length: 100 }, () => ({ id: index })) };
  };
  const watch = watchEvents(
    { events: { list: () => ({ pages: endless }) } as never, nowMs: () => api.state.passedMs },
    START_MS,
  );
  await assert.rejects(
    watch.poll(signal),
    /^Error: more than 50000 events since 2030-01-31T12:00:00\.000Z; use a later --since/,
  );
});
