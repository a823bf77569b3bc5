import assert from "node:assert/strict";
import { test } from "node:test";
import { createRenderedReplies, type Render, type RenderedReply } from "./rendered-replies.ts";

type HeldRender = {
  render: Render;
  end: (catalogRevision: string, text: string) => void;
  fail: (error: Error) => void;
};

/** A render that blocks until the test ends it. */
function heldRender(): HeldRender {
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<Render>>>();
  return {
    render: () => promise,
    end: (catalogRevision, text) => resolve({ catalogRevision, text }),
    fail: reject,
  };
}

const rendered =
  (catalogRevision: string, text: string): Render =>
  async () => ({ catalogRevision, text });

const mustNotRender: Render = () => assert.fail("it was rendered again");
const textOf = async (reply: RenderedReply | Promise<RenderedReply>) => (await reply).body.toString();

test("a reply is rendered once per view and revision, with a strong ETag of its bytes", async () => {
  const replies = createRenderedReplies();
  const first = await replies.get("page 1", "5.1", rendered("5.1", "{}"));
  assert.match(first.etag, /^"[A-Za-z0-9_-]{22}"$/);
  assert.equal(await replies.get("page 1", "5.1", mustNotRender), first);
  const same = await replies.get("page 2", "5.1", rendered("5.1", "{}"));
  const other = await replies.get("page 3", "5.1", rendered("5.1", "[]"));
  assert.equal(same.etag, first.etag);
  assert.notEqual(other.etag, first.etag);
});

test("a new catalog or reseller revision renders it again", async () => {
  const replies = createRenderedReplies();
  await replies.get("page", "5.1", rendered("5.1", "old"));
  assert.equal(await textOf(replies.get("page", "6.1", rendered("6.1", "new"))), "new");
  assert.equal(await textOf(replies.get("page", "5.2", rendered("5.2", "newer"))), "newer");
});

test("concurrent misses share one render, and a request with a newer revision does not join it", async () => {
  const replies = createRenderedReplies();
  const old = heldRender();
  const first = replies.get("page", "5.1", old.render);
  const second = replies.get("page", "5.1", mustNotRender);
  const later = replies.get("page", "6.1", rendered("6.1", "new"));
  assert.equal(await textOf(later), "new");
  old.end("5.1", "old");
  assert.deepEqual([await textOf(first), await textOf(second)], ["old", "old"]);
  assert.equal(await textOf(replies.get("page", "6.1", mustNotRender)), "new");
});

test("a reply read at a newer revision than requested is kept only under the newer one", async () => {
  const replies = createRenderedReplies();
  assert.equal(await textOf(replies.get("page", "5.1", rendered("6.1", "new"))), "new");
  assert.equal(await textOf(replies.get("page", "6.1", mustNotRender)), "new");
  assert.equal(await textOf(replies.get("page", "5.1", rendered("6.1", "again"))), "again");
});

test("a failed render fails every waiting request and is not kept", async () => {
  const replies = createRenderedReplies();
  const held = heldRender();
  const waiting = [replies.get("page", "5.1", held.render), replies.get("page", "5.1", mustNotRender)];
  held.fail(new Error("gone"));
  for (const reply of waiting) await assert.rejects(Promise.resolve(reply), /gone/);
  assert.equal(await textOf(replies.get("page", "5.1", rendered("5.1", "back"))), "back");
});

test("replies that do not fit are sent but not kept", async () => {
  const replies = createRenderedReplies(1_000);
  const large = "x".repeat(2_000);
  assert.equal(await textOf(replies.get("page", "5.1", rendered("5.1", large))), large);
  assert.equal(await textOf(replies.get("page", "5.1", rendered("5.1", "rendered again"))), "rendered again");
});
