import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, test } from "node:test";
import { createTestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { openShop } from "../../../testing/builders/shop.ts";
import { openDashboardDesk } from "../../../testing/people/dashboard-desk.ts";
import { locationOf, signInAs, visit } from "../../../testing/people/dashboard-visitor.ts";
import { getEncryptionKey } from "../../fulfilment/sealing/change-encryption-key.ts";
import { publicBytesOf } from "../../vault/hpke.ts";

const PATH = "/dashboard/encryption";
const newKey = (): string => publicBytesOf(generateKeyPairSync("x25519").privateKey).toString("base64url");

const desk = await openDashboardDesk();
const { get, post, db, clock } = desk;
after(desk.close);
const { id: resellerId } = await desk.addReseller();
const owner = await desk.join(resellerId, "owner");

test("an owner registers, replaces and removes the key of an environment", async () => {
  assert.match((await get(owner, PATH)).body, /No key/);
  const first = await post(owner, PATH, { publicKey: newKey() });
  assert.deepEqual([first.statusCode, locationOf(first)], [303, PATH]);
  const live = { resellerId, environment: "live" } as const;
  const key = await getEncryptionKey(db, live);
  assert.ok(key);
  assert.equal(await getEncryptionKey(db, { resellerId, environment: "test" }), undefined);
  await post(owner, PATH, { publicKey: newKey() });
  const page = (await get(owner, PATH)).body;
  assert.match(page, /Earlier keys/);
  assert.ok(page.includes(key.kid));
  await post(owner, `${PATH}/remove`);
  assert.equal(await getEncryptionKey(db, live), undefined);
});

test("what is no key stays in the form with an error at its field", async () => {
  for (const publicKey of ["", "abc", Buffer.alloc(32).toString("base64url")]) {
    const reply = await post(owner, PATH, { publicKey });
    assert.equal(reply.statusCode, 422, publicKey);
    assert.match(reply.body, /id="form-publicKey-error"/);
  }
});

test("a change takes fresh proof", async () => {
  clock.advance(10 * 60_000);
  for (const path of [PATH, `${PATH}/remove`]) {
    const reply = await post(owner, path, { publicKey: newKey() });
    assert.equal(reply.statusCode, 403);
  }
  assert.equal(await getEncryptionKey(db, { resellerId, environment: "live" }), undefined);
});

test("an order's page says that its codes are sealed, and offers no reveal of them", async () => {
  const shop = await openShop();
  try {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ publicKey: newKey() });
    await shop.scrip.call("PUT", "/v1/encryption-key", { key: shop.buyer.key, headers, body });
    const id = await shop.order([await shop.addStocked(1), 1]);
    await createTestFulfiller(shop.scrip).drain();
    const person = await signInAs(shop.scrip, shop.buyer.resellerId, "owner");
    const page = (await visit(shop.scrip, person, `/dashboard/orders/${id}`)).body;
    assert.match(page, /sealed to your key/);
    assert.doesNotMatch(page, /name="codeId"/);
  } finally {
    await shop.close();
  }
});
