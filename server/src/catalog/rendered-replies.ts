import { createHash } from "node:crypto";
import { createByteCache } from "../lib/byte-cache.ts";

/** A reply as it goes out: rendered once, sent many times. */
export type RenderedReply = { body: Buffer; etag: string };

/** What a render found: the state of the catalog it read, and the reply's text. */
export type Render = () => Promise<{ catalogRevision: string; text: string }>;

export type RenderedReplies = {
  /** The reply for this view at this revision: from memory when it is there, else rendered. */
  get(view: string, catalogRevision: string, render: Render): RenderedReply | Promise<RenderedReply>;
};

export const RENDERED_MAX_BYTES = 32 * 1024 * 1024;

/**
 * Replies in memory that are never stale: the revision that came with the key, read after the request began, says
 * whether a kept reply still holds. Requests that miss together share one render: its read began after a revision
 * equal to theirs had been seen, so it is as new as what they would read themselves.
 */
export function createRenderedReplies(maxBytes: number = RENDERED_MAX_BYTES): RenderedReplies {
  const kept = createByteCache<RenderedReply>(maxBytes, (reply) => reply.body.length);
  const rendering = new Map<string, Promise<RenderedReply>>();

  const renderNow = async (view: string, render: Render): Promise<RenderedReply> => {
    const { catalogRevision, text } = await render();
    const body = Buffer.from(text);
    const reply = { body, etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"` };
    // Kept under the revision that was read, which may be newer than the one that was asked for.
    kept.set(`${catalogRevision} ${view}`, reply);
    return reply;
  };

  return {
    get(view, catalogRevision, render) {
      const key = `${catalogRevision} ${view}`;
      const found = kept.get(key) ?? rendering.get(key);
      if (found) return found;
      const promise = renderNow(view, render).finally(() => rendering.delete(key));
      rendering.set(key, promise);
      return promise;
    },
  };
}
