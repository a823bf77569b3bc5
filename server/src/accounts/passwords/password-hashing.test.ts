import assert from "node:assert/strict";
import { argon2Sync } from "node:crypto";
import { test } from "node:test";
import { ARGON2_COST, createPasswordHashing } from "./password-hashing.ts";

const CHEAP = { memoryKib: 8, passes: 1, parallelism: 1 };
const PASSWORD = "correct horse battery";

test("a password at the real cost opens its own hash and no other does", async () => {
  const hashing = createPasswordHashing();
  const phc = await hashing.hash(PASSWORD);
  assert.match(phc, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.equal(await hashing.verify(PASSWORD, phc), true);
  assert.equal(await hashing.verify(`${PASSWORD}!`, phc), false);
  assert.equal(hashing.isOutdated(phc), false);
  const [, , , , salt = "", hash] = phc.split("$");
  const nonce = Buffer.from(salt, "base64");
  const direct = argon2Sync("argon2id", {
    message: PASSWORD,
    nonce,
    memory: 19_456,
    passes: 2,
    parallelism: 1,
    tagLength: 32,
  });
  assert.equal(direct.toString("base64").replaceAll("=", ""), hash);
  assert.deepEqual(ARGON2_COST, { memoryKib: 19_456, passes: 2, parallelism: 1 });
});

test("where there is no hash, or one that cannot be read, no password is right", async () => {
  const hashing = createPasswordHashing(CHEAP);
  const huge = (await hashing.hash(PASSWORD)).replace("m=8,", "m=9999999,");
  for (const phc of [null, "", "$argon2id$", huge]) assert.equal(await hashing.verify(PASSWORD, phc), false);
});

test("the same letters as other code points are the same password, and each hash has its own salt", async () => {
  const hashing = createPasswordHashing(CHEAP);
  const phc = await hashing.hash("jose\u0301 jose\u0301 jose\u0301");
  assert.equal(await hashing.verify("josé josé josé", phc), true);
  assert.notEqual(await hashing.hash(PASSWORD), await hashing.hash(PASSWORD));
});

test("a hash of another cost still opens, and is known to be outdated", async () => {
  const phc = await createPasswordHashing({ ...CHEAP, passes: 2 }).hash(PASSWORD);
  const hashing = createPasswordHashing(CHEAP);
  assert.equal(await hashing.verify(PASSWORD, phc), true);
  assert.equal(hashing.isOutdated(phc), true);
});

test("so many hashes run and wait; the next is refused with 503, and later ones are served again", async () => {
  const hashing = createPasswordHashing(CHEAP, { atOnce: 1, waiting: 2 });
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => hashing.hash(PASSWORD)));
  assert.deepEqual(
    results.map(({ status }) => status),
    ["fulfilled", "fulfilled", "fulfilled", "rejected", "rejected"],
  );
  assert.equal((results[4] as PromiseRejectedResult).reason.code, "service_unavailable");
  assert.match(await hashing.hash(PASSWORD), /^\$argon2id/);
});
