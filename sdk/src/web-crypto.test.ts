import assert from "node:assert/strict";
import { test } from "node:test";
import { getSubtle, randomUuid, toHex } from "./web-crypto.ts";

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ABC_SHA_256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/** Replaces the global `crypto`, as in another runtime. */
async function withGlobalCrypto(crypto: unknown, act: () => Promise<void>): Promise<void> {
  const own = Object.getOwnPropertyDescriptor(globalThis, "crypto") as PropertyDescriptor;
  Object.defineProperty(globalThis, "crypto", { value: crypto, configurable: true, writable: true });
  try {
    await act();
  } finally {
    Object.defineProperty(globalThis, "crypto", own);
  }
}

async function assertWorks(): Promise<void> {
  const digest = await (await getSubtle()).digest("SHA-256", new TextEncoder().encode("abc"));
  assert.equal(toHex(new Uint8Array(digest)), ABC_SHA_256);
  const ids = await Promise.all(Array.from({ length: 1000 }, randomUuid));
  for (const id of ids) assert.match(id, UUID_V4);
  assert.equal(new Set(ids).size, ids.length);
}

test("it hashes, and generates unique version 4 UUIDs", assertWorks);

test("without a global crypto, as on Node 18, it does the same", () =>
  withGlobalCrypto(undefined, assertWorks));

test("on a page from plain http UUIDs work, and the rest fails with a reason", () =>
  withGlobalCrypto(
    { getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => own.getRandomValues(bytes) },
    async () => {
      assert.match(await randomUuid(), UUID_V4);
      await assert.rejects(getSubtle(), /load this page over https/);
    },
  ));

const own = globalThis.crypto;
