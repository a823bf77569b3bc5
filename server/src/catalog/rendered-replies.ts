import { createHash } from "node:crypto";
import { createByteCache } from "../lib/byte-cache.ts";

/** A response that is rendered once and sent many times. */
export type RenderedReply = { body: Buffer; etag: string };

/** The result of a render: the catalog revision it read, and the response text. */
export type Render = () => Promise<{ catalogRevision: string; text: string }>;

export type RenderedReplies = {
  /** The response for this view and revision, from memory or rendered. */
  get(view: string, catalogRevision: string, render: Render): RenderedReply | Promise<RenderedReply>;
};

export const RENDERED_MAX_BYTES = 32 * 1024 * 1024;
/** For pages with filters. */
export const FILTERED_MAX_BYTES = 8 * 1024 * 1024;

/**
 * Cached responses that are never stale: the revision, read together with the API key after the request started,
 * decides whether a cached response is current. Concurrent misses share one render: its read started after the same
 * revision was seen, so it is as recent as their own read would be.
 */
export function createRenderedReplies(maxBytes: number = RENDERED_MAX_BYTES): RenderedReplies {
  const kept = createByteCache<RenderedReply>(maxBytes, (reply) => reply.body.length);
  const rendering = new Map<string, Promise<RenderedReply>>();

  const renderNow = async (view: string, render: Render): Promise<RenderedReply> => {
    const { catalogRevision, text } = await render();
    const body = Buffer.from(text);
    const reply = { body, etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"` };
    // Cached under the revision that was read, which can be newer than the requested one.
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
