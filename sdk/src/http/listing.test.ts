import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { test } from "node:test";
import { answeredBy, json } from "../testing/answering-server.ts";

const event = (id: string) => ({
  id,
  type: "order.fulfilled",
  created_at: "2030-01-01T00:00:00.000Z",
  data: { order_id: "ord_1", status: "fulfilled" },
});

type Answered = { ids: string[]; next: string };

const FIRST = { ids: ["evt_1", "evt_2"], next: "c1" };
const THREE_PAGES: Record<string, Answered> = {
  "": FIRST,
  c1: { ids: [], next: "c2" },
  c2: { ids: ["evt_3"], next: "" },
};

/** Pages by their cursors; a page without a next cursor is the last. */
const paged =
  (pages: Record<string, Answered>): RequestListener =>
  (request, response) => {
    const cursor = new URL(request.url ?? "", "http://x").searchParams.get("cursor") ?? "";
    const { ids, next } = pages[cursor] ?? { ids: [], next: "" };
    json({ data: ids.map(event), hasMore: next !== "", nextCursor: next })(request, response);
  };

test("nothing is requested until a listing is awaited or iterated", async () => {
  await answeredBy(paged(THREE_PAGES), async ({ client, heard }) => {
    const listing = client().events.list();
    listing.pages();
    await new Promise(setImmediate);
    assert.deepEqual(heard, []);
    await listing;
    assert.equal(heard.length, 1);
  });
});

test("awaiting a listing returns its first page, requested once no matter how often it is awaited", async () => {
  await answeredBy(paged(THREE_PAGES), async ({ client, heard }) => {
    const listing = client().events.list();
    const page = { data: FIRST.ids.map(event), hasMore: true, nextCursor: "c1" };
    assert.deepEqual(await listing, page);
    assert.deepEqual(await listing, page);
    assert.deepEqual(await listing.then((it) => it.nextCursor), "c1");
    assert.equal(heard.length, 1);
  });
});

test("for await iterates the items of all pages, past an empty one, with the same filters each time", async () => {
  await answeredBy(paged(THREE_PAGES), async ({ client, heard }) => {
    const ids: string[] = [];
    for await (const { id } of client().events.list({ type: "order.fulfilled", limit: 2 })) ids.push(id);
    assert.deepEqual(ids, ["evt_1", "evt_2", "evt_3"]);
    assert.deepEqual(
      heard.map(({ url }) => url),
      ["", "&cursor=c1", "&cursor=c2"].map((cursor) => `/v1/events?type=order.fulfilled&limit=2${cursor}`),
    );
  });
});

test("pages() iterates page by page, and starts at a given cursor", async () => {
  await answeredBy(paged(THREE_PAGES), async ({ client, heard }) => {
    const sizes: number[] = [];
    for await (const { data } of client().events.list({ cursor: "c1" }).pages()) sizes.push(data.length);
    assert.deepEqual(sizes, [0, 1]);
    assert.deepEqual(
      heard.map(({ url }) => url),
      ["/v1/events?cursor=c1", "/v1/events?cursor=c2"],
    );
  });
});

test("each iteration starts again", async () => {
  await answeredBy(paged(THREE_PAGES), async ({ client }) => {
    const listing = client().events.list();
    for (const _time of [1, 2]) {
      const ids: string[] = [];
      for await (const { id } of listing) ids.push(id);
      assert.deepEqual(ids, ["evt_1", "evt_2", "evt_3"]);
    }
  });
});

test("an iteration that stops early requests nothing more, even at the end of a page", async () => {
  await answeredBy(paged(THREE_PAGES), async ({ client, heard }) => {
    for (const last of FIRST.ids) {
      heard.length = 0;
      for await (const { id } of client().events.list()) if (id === last) break;
      await new Promise(setImmediate);
      assert.equal(heard.length, 1);
    }
  });
});

test("a repeated cursor is an error, after the items before it", async () => {
  const circles: Record<string, Answered>[] = [
    { "": FIRST, c1: { ids: ["evt_3"], next: "c1" } },
    { "": FIRST, c1: { ids: ["evt_3"], next: "c2" }, c2: { ids: [], next: "c1" } },
  ];
  for (const circle of circles) {
    await answeredBy(paged(circle), async ({ client }) => {
      const ids: string[] = [];
      const walk = async () => {
        for await (const { id } of client().events.list()) ids.push(id);
      };
      await assert.rejects(walk(), { code: "invalid_response" });
      assert.deepEqual(ids, ["evt_1", "evt_2", "evt_3"]);
    });
  }
});

test("hasMore without a cursor is an error, and not the first page again", async () => {
  const endless = json({ data: [event("evt_1")], hasMore: true, nextCursor: "" });
  await answeredBy(endless, async ({ client, heard }) => {
    const walk = async () => {
      for await (const _event of client().events.list());
    };
    await assert.rejects(walk(), { code: "invalid_response" });
    assert.equal(heard.length, 1);
  });
});

test("a listing fails like a call, awaited or during its iteration", async () => {
  let answers = 0;
  const breaking: RequestListener = (request, response) => {
    answers += 1;
    if (answers % 2 === 1) paged(THREE_PAGES)(request, response);
    else json({ no: "page" })(request, response);
  };
  await answeredBy(breaking, async ({ client }) => {
    const ids: string[] = [];
    const walk = async () => {
      for await (const { id } of client().events.list()) ids.push(id);
    };
    await assert.rejects(walk(), { code: "invalid_response" });
    assert.deepEqual(ids, FIRST.ids);
    const aborted = client().events.list({}, { signal: AbortSignal.abort() });
    await assert.rejects(aborted, { code: "aborted" });
    assert.equal(
      await client()
        .events.list({}, { signal: AbortSignal.abort() })
        .catch(() => "caught"),
      "caught",
    );
  });
});

test("an id that leads elsewhere is refused when the listing is requested", async () => {
  await answeredBy(paged(THREE_PAGES), async ({ client, heard }) => {
    await assert.rejects(client().events.get(".."), RangeError);
    assert.deepEqual(heard, []);
  });
});
