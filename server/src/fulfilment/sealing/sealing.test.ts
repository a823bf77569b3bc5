import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { after, before, beforeEach, test } from "node:test";
import { openCodes } from "@scrip/sdk";
import sql, { raw } from "sql-template-tag";
import { postOrder } from "../../../testing/builders/buyers.ts";
import { createTestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { countWaiting } from "../../../testing/database/count-waiting.ts";
import { eventually } from "../../../testing/eventually.ts";
import { createScriptedSupplier, refused, sold } from "../../../testing/upstream/scripted-supplier.ts";
import { sealedStores } from "../../admin/sealed-stores.ts";
import type { Db } from "../../db/database.ts";
import { secret } from "../../lib/secret.ts";
import { testCode } from "../../sandbox/test-code.ts";
import type { Goods } from "../../suppliers/goods.ts";
import type { PurchaseOutcome } from "../../suppliers/supplier.ts";
import { deliveredPlace, quarantinePlace, stockPlace } from "../../vault/code-place.ts";
import { codePrefix } from "../../vault/code-vault.ts";
import { hpkeOpen, publicBytesOf } from "../../vault/hpke.ts";
import { readNewOrders } from "../express/express-queries.ts";
import { FULFILMENT_LIMITS } from "../limits.ts";
import { refundOrder } from "../refund/refund-order.ts";
import { codeInfo } from "./seal-to-reseller.ts";
import { findRecipients } from "./sealing-queries.ts";

type Code = {
  id: string;
  code?: string;
  unitIndex?: number;
  sealed?: { kid: string; enc: string; ciphertext: string };
};

let shop: Shop;
let supplierId: string;
let made = 0;

before(async () => {
  shop = await openShop();
  supplierId = await addSupplierRow(shop.scrip.db, { kind: "scrip" });
});
after(async () => {
  await shop.assertHealthy();
  await shop.close();
});
beforeEach(async () => {
  shop.clock.advance(3_600_000);
  await call("DELETE");
});

const call = (method: string, body?: object, key = shop.buyer.key) =>
  shop.scrip.call(method, "/v1/encryption-key", {
    key,
    ...(body ? { headers: { "content-type": "application/json" }, body: JSON.stringify(body) } : {}),
  });

/** Registers a new key, and returns its private half. */
async function register(key = shop.buyer.key): Promise<{ privateKey: KeyObject; text: string; kid: string }> {
  const { privateKey } = generateKeyPairSync("x25519");
  const reply = await call("PUT", { publicKey: publicBytesOf(privateKey).toString("base64url") }, key);
  assert.equal(reply.statusCode, 200, reply.body);
  const text = privateKey.export({ format: "jwk" }).d ?? "";
  return { privateKey, text, kid: reply.json().encryptionKey.kid };
}

const createWorker = (db?: Db, ...answers: Parameters<typeof createScriptedSupplier>) =>
  createTestFulfiller(shop.scrip, {
    suppliers: { [supplierId]: createScriptedSupplier(...answers) },
    ...(db ? { changes: { db } } : {}),
  });

async function codesOf(orderId: string, key = shop.buyer.key): Promise<Code[]> {
  const reply = await shop.scrip.call("GET", `/v1/orders/${orderId}/codes`, { key });
  return reply.json().data ?? [];
}

const order = async (lines: [string, number][], more: object = {}): Promise<string> => {
  made += 1;
  const body = { lines: lines.map(([productId, quantity]) => ({ productId, quantity })), ...more };
  return (await postOrder(shop.scrip, shop.buyer, `sealed ${made}`, body)).json().order.id;
};

const newCode = (): string => {
  made += 1;
  return `PLAIN-CODE-${made}-END`;
};

type Stored = {
  id: string;
  sealed: Buffer | null;
  kid: string | null;
  enc: Buffer | null;
  ciphertext: Buffer | null;
};
const stored = (orderId: string): Promise<Stored[]> =>
  shop.scrip.db.rows<Stored>(sql`
    select id, sealed, kid, enc, ciphertext from codes where order_id = ${orderId} order by line_index, unit_index`);

/** Whether anything in the database shows the code, or gives it to whoever has the master key. */
async function isInDump(code: string, orderId: string, productId: string): Promise<boolean> {
  const tables = await shop.scrip.db.rows<{ name: string }>(
    sql`select format('%I', tablename) as name from pg_tables where schemaname = 'public'`,
  );
  const bytes = [code, Buffer.from(code).toString("hex")];
  for (const { name } of tables) {
    const rows = await shop.scrip.db.rows<{ text: string }>(sql`select t::text as text from ${raw(name)} t`);
    if (rows.some(({ text }) => bytes.some((one) => text.includes(one)))) return true;
  }
  const unit = { orderId, lineIndex: 0, unitIndex: 0 };
  const codes = await shop.scrip.db.rows<{ id: string; values: (Buffer | null)[] }>(
    sql`select id, array[sealed, enc, ciphertext] as values from codes`,
  );
  return codes.some(({ id, values }) =>
    [stockPlace(id, productId), deliveredPlace(unit, productId), quarantinePlace(id, unit, productId)].some(
      (place) =>
        values.some((value) => {
          try {
            return value !== null && shop.scrip.codeVault.open(place, value).includes(code);
          } catch {
            return false;
          }
        }),
    ),
  );
}

test("a key is registered once, replaced, removed, and recorded; live and test have their own", async () => {
  assert.deepEqual((await call("GET")).json(), {});
  const first = await register();
  assert.equal((await call("GET")).json().encryptionKey.kid, first.kid);
  const { key: testKey } = await shop.scrip.addKey(shop.buyer.resellerId, { env: "test" });
  assert.deepEqual((await call("GET", undefined, testKey)).json(), {});
  const publicKey = publicBytesOf(first.privateKey).toString("base64url");
  for (const same of [publicKey, `${publicKey}=`])
    assert.equal((await call("PUT", { publicKey: same })).json().encryptionKey.kid, first.kid);
  const second = await register();
  assert.equal((await call("GET")).json().encryptionKey.kid, second.kid);
  assert.equal((await call("PUT", { publicKey })).json().encryptionKey.kid, first.kid);
  for (let time = 0; time < 2; time += 1) assert.deepEqual((await call("DELETE")).json(), {});
  assert.deepEqual((await call("GET")).json(), {});
  const actions = await shop.scrip.db.rows<{ action: string; kid: string }>(sql`
    select action, object_id as kid from activity where action like 'encryption_key.%' order by id`);
  assert.deepEqual(
    actions.map(({ action, kid }) => [action.split(".")[1], kid]),
    [
      ["registered", first.kid],
      ["registered", second.kid],
      ["registered", first.kid],
      ["removed", first.kid],
    ],
  );
});

test("what is no usable key is refused, and nothing changes", async () => {
  const { kid } = await register();
  const zero = Buffer.alloc(32).toString("base64url");
  const one = Buffer.alloc(32);
  one[0] = 1;
  const prime = Buffer.from(`ed${"ff".repeat(30)}7f`, "hex").toString("base64url");
  const weak = [zero, one.toString("base64url"), prime];
  const malformed = [
    "",
    "abc",
    "A".repeat(42),
    "A".repeat(44),
    "A".repeat(65),
    "+".repeat(43),
    `${zero.slice(1)}é`,
  ];
  for (const publicKey of [...weak, ...malformed, 1, null, [], {}]) {
    const reply = await call("PUT", { publicKey });
    assert.equal(reply.statusCode, 400, String(publicKey));
    assert.equal(reply.json().errors[0].pointer, "/publicKey");
  }
  assert.equal((await call("PUT", {})).statusCode, 400);
  assert.equal((await call("PUT", { publicKey: zero, more: 1 })).statusCode, 400);
  const { key: other } = await shop.scrip.addKey(shop.buyer.resellerId, { scopes: ["orders:read"] });
  for (const method of ["PUT", "DELETE"])
    assert.equal((await call(method, { publicKey: zero }, other)).statusCode, 403);
  assert.equal((await call("GET")).json().encryptionKey.kid, kid);
});

test("a code from stock and a bought one are sealed when they are delivered, and only the private key opens them", async () => {
  const { text, kid } = await register();
  const [fromStock, bought] = [newCode(), newCode()];
  const productId = await shop.addStocked([
    { type: "code", code: fromStock, pin: "0042", serial: "S", expiresAt: "2040-01-01T00:00:00.000Z" },
  ]);
  assert.ok(await isInDump(fromStock, "", productId), "in stock it opens with the master key");
  const boughtId = await shop.addBought(supplierId);
  const [first, second] = [await order([[productId, 1]]), await order([[boughtId, 1]])];
  await createWorker(undefined, { ...sold(bought), upstreamId: "up_1" } as PurchaseOutcome).drain();
  const [sealed] = await codesOf(first);
  assert.deepEqual(Object.keys(sealed ?? {}).sort(), [
    ..."deliveredAt expiresAt id lineIndex productId sealed type unitIndex".split(" "),
  ]);
  assert.equal(sealed?.sealed?.kid, kid);
  for (const [id, product, code] of [
    [first, productId, fromStock],
    [second, boughtId, bought],
  ] as const) {
    assert.equal(await isInDump(code, id, product), false);
    const reply = await shop.scrip.call("GET", `/v1/orders/${id}/codes`, { key: shop.buyer.key });
    const { data } = await openCodes(reply.json(), text);
    assert.equal(data[0]?.code, code);
    assert.equal(data[0]?.pin, code === fromStock ? "0042" : undefined);
  }
  const csv = await shop.scrip.call("GET", `/v1/orders/${first}/codes`, {
    key: shop.buyer.key,
    headers: { accept: "text/csv" },
  });
  assert.match(csv.body, /kid,enc,ciphertext\r\n/);
  assert.ok(csv.body.includes(`,${kid},`) && !csv.body.includes(fromStock));
  assert.doesNotMatch(shop.scrip.logged(), /PLAIN-CODE/);
});

test("the digest stays: a code that was sealed is not delivered a second time", async () => {
  await register();
  const code = newCode();
  const productId = await shop.addBought(supplierId);
  const first = await order([[productId, 1]]);
  await createWorker(undefined, sold(code)).drain();
  const second = await order([[productId, 1]]);
  await createWorker(undefined, sold(code)).drain();
  assert.equal((await shop.read(second)).status, "refunded");
  const [quarantined] = await stored(second);
  assert.ok(
    quarantined?.sealed && !quarantined.ciphertext,
    "the operator's copy in quarantine is the operator's",
  );
  const [kept] = await stored(first);
  assert.ok(kept?.ciphertext && !kept.sealed);
});

test("of one code for two units the delivered one is sealed, and the one in quarantine stays ours", async () => {
  await register();
  const product = await shop.addBought(supplierId);
  const id = await order([[product, 2]]);
  const code = newCode();
  await createWorker(undefined, sold(code)).drain();
  const kept = await stored(id);
  const ours = kept.filter(({ sealed, ciphertext }) => sealed !== null && ciphertext === null);
  assert.deepEqual([kept.length, ours.length, (await codesOf(id)).length], [2, 1, 1]);
});

test("a receipt of a top-up is not sealed, and an operator's refund leaves a sealed code sealed", async () => {
  const { privateKey } = await register();
  const topUp = await shop.addBought(supplierId);
  const id = await order([[topUp, 1]]);
  const receipt = {
    kind: "delivered",
    goods: secret<Goods>({ type: "topup", receipt: "R-1" }),
    upstreamId: "",
  } as const;
  await createWorker(undefined, receipt).drain();
  assert.equal((await shop.codesOf(id)).json().data[0].receipt, "R-1");
  const code = newCode();
  const refunded = await order([[await shop.addStocked([{ type: "code", code }]), 1]]);
  await createWorker().drain();
  await refundOrder(shop.scrip.db, shop.clock, { orderId: refunded, lines: undefined, reason: "asked" });
  const [row] = await stored(refunded);
  assert.ok(row?.enc && row.ciphertext);
  const info = codeInfo({ orderId: refunded, lineIndex: 0, unitIndex: 0 });
  const plain = hpkeOpen(privateKey, { enc: row.enc, ciphertext: row.ciphertext }, { info });
  assert.equal(JSON.parse(plain.toString()).code, code);
});

test("after a change of the key old codes open with the old one, and without a key codes are readable again", async () => {
  const productId = await shop.addStocked(3);
  const ids: string[] = [];
  const keys: { text: string; kid: string }[] = [];
  for (let time = 0; time < 2; time += 1) {
    keys.push(await register());
    ids.push(await order([[productId, 1]]));
    await createWorker().drain();
  }
  await call("DELETE");
  ids.push(await order([[productId, 1]]));
  await createWorker().drain();
  const read = async (id: string) => (await shop.codesOf(id)).json();
  for (const [index, key] of keys.entries()) {
    const { data } = await openCodes(await read(ids[index] ?? ""), key.text);
    assert.equal(data[0]?.code, `${productId}-${index}`);
    const other = keys[1 - index]?.text ?? "";
    await assert.rejects(openCodes(await read(ids[index] ?? ""), other), { kid: key.kid });
  }
  assert.equal((await codesOf(ids[2] ?? ""))[0]?.code, `${productId}-2`);
});

for (const [how, read] of Object.entries({ "at once": readNewOrders, "with a lease": findRecipients })) {
  test(`a key is retired only after the codes that are being sealed to it, ${how}`, async () => {
    await register();
    const id = await order([[await shop.addStocked(1), 1]]);
    let removal: ReturnType<typeof call> | undefined;
    await shop.scrip.db.transaction(async (tx) => {
      await read(tx, [id]);
      removal = call("DELETE");
      await eventually("the removal waits", async () => (await countWaiting(shop.scrip.db)) > 0 || undefined);
    });
    assert.equal((await removal)?.statusCode, 200);
    await createWorker().drain();
    assert.ok((await codesOf(id))[0]?.code);
  });
}

test("codes of an all-or-nothing order stay ours until it is completed, and can be taken back", async () => {
  const { text } = await register();
  const code = newCode();
  const productId = await shop.addStocked([{ type: "code", code }]);
  const bought = await shop.addBought(supplierId);
  const whole = { fulfilment: "all_or_nothing" };
  const failing = await order(
    [
      [productId, 1],
      [bought, 1],
    ],
    whole,
  );
  await createWorker(undefined, refused("out_of_stock")).drain();
  assert.equal((await shop.read(failing)).status, "refunded");
  assert.ok(await isInDump(code, failing, productId), "it is in stock again");
  const id = await order(
    [
      [productId, 1],
      [bought, 1],
    ],
    whole,
  );
  await createWorker(undefined, sold(newCode())).drain();
  assert.equal((await shop.read(id)).status, "completed");
  assert.equal(await isInDump(code, id, productId), false);
  const { data } = await openCodes((await shop.codesOf(id)).json(), text);
  assert.equal(data[0]?.code, code);
  assert.match(data[1]?.code ?? "", /^PLAIN-CODE/);
});

test("the sandbox seals as live does", async () => {
  const { key } = await shop.scrip.addKey(shop.buyer.resellerId, { env: "test" });
  const { text } = await register(key);
  const productId = await shop.addStocked(1);
  for (const fulfilment of ["partial", "all_or_nothing"]) {
    made += 1;
    const body = { lines: [{ productId, quantity: 2 }], fulfilment };
    const placed = await postOrder(shop.scrip, { ...shop.buyer, key }, `sealed test ${made}`, body);
    await createWorker().drain();
    const { id } = placed.json().order;
    const reply = await shop.scrip.call("GET", `/v1/orders/${id}/codes`, { key });
    assert.doesNotMatch(reply.body, /TEST-/);
    const { data } = await openCodes(reply.json(), text);
    const expected = [0, 1].map((unit) => testCode(`sealed test ${made}`, 0, unit));
    assert.deepEqual(
      data.map((one) => one.code),
      expected,
    );
  }
  await call("DELETE", undefined, key);
});

/** The same database, which fails at the nth statement in a transaction, or after the nth commit. */
function failAt(n: number, isAfterCommit: boolean): { db: Db; failed: () => boolean } {
  let count = 0;
  let failed = false;
  const strike = () => {
    count += 1;
    if (failed || count <= n) return;
    failed = true;
    throw new Error("the process ends here");
  };
  const db: Db = {
    ...shop.scrip.db,
    async transaction(work) {
      const result = await shop.scrip.db.transaction((tx) =>
        work({
          ...tx,
          rows(query, options) {
            if (!isAfterCommit) strike();
            return tx.rows(query, options);
          },
        }),
      );
      if (isAfterCommit) strike();
      return result;
    },
  };
  return { db, failed: () => failed };
}

for (const isAfterCommit of [false, true]) {
  const where = isAfterCommit ? "after any commit" : "before any statement";
  test(`a crash ${where} leaves each code readable in exactly one of the two ways`, async () => {
    const { privateKey } = await register();
    const bought = await shop.addBought(supplierId);
    let crashes = 0;
    for (let n = 0; ; n += 1) {
      const codes = [newCode(), newCode()];
      const productId = await shop.addStocked([{ type: "code", code: codes[0] ?? "" }]);
      const fulfilment = n % 2 === 0 ? "partial" : "all_or_nothing";
      const id = await order(
        [
          [productId, 1],
          [bought, 1],
        ],
        { fulfilment },
      );
      const { db, failed } = failAt(n, isAfterCommit);
      const supplier = sold(codes[1] ?? "");
      await createWorker(db, supplier)
        .drain()
        .catch(() => {});
      for (const row of await stored(id)) assert.ok((row.sealed === null) !== (row.ciphertext === null));
      shop.clock.advance(FULFILMENT_LIMITS.leaseMs * 4);
      await createWorker(undefined, supplier).drain();
      assert.equal((await shop.read(id)).status, "completed", `crash ${n}`);
      const opened = (await stored(id)).map(({ enc, ciphertext }, lineIndex) => {
        assert.ok(enc && ciphertext);
        const info = codeInfo({ orderId: id, lineIndex, unitIndex: 0 });
        return JSON.parse(hpkeOpen(privateKey, { enc, ciphertext }, { info }).toString()).code;
      });
      assert.deepEqual(opened, codes);
      if (!failed()) break;
      crashes += 1;
    }
    assert.ok(crashes >= 2, `only ${crashes} crashes`);
  });
}

test("a change of the master key has nothing to do for sealed codes", async () => {
  await register();
  const id = await order([[await shop.addStocked(1), 1]]);
  await createWorker().drain();
  const [row] = await stored(id);
  const [codes] = sealedStores(shop.scrip);
  const page = {
    prefix: Buffer.concat([codePrefix(shop.scrip.keyring.masterKeys()), Buffer.of(1)]),
    after: "",
    limit: 10_000,
  };
  const outdated = (await codes?.listOutdated(shop.scrip.db, page)) ?? [];
  assert.ok(outdated.length > 0 && outdated.every(({ id: outdatedId }) => outdatedId !== row?.id));
});

test("a reseller keeps 100 keys at most", async () => {
  const { resellerId } = shop.buyer;
  await shop.scrip.db.rows(sql`
    insert into encryption_keys (reseller_id, environment, kid, public_key, registered_at, retired_at)
    select ${resellerId}, 'live',
      rtrim(translate(encode(substring(sha256(k) from 1 for 16), 'base64'), '+/', '-_'), '='), k, now(), now()
    from generate_series(1, 100) n, lateral (select sha256(n::text::bytea) as k) one`);
  const publicKey = publicBytesOf(generateKeyPairSync("x25519").privateKey).toString("base64url");
  const reply = await call("PUT", { publicKey });
  assert.deepEqual([reply.statusCode, reply.json().code], [409, "encryption_key_limit_reached"]);
});
