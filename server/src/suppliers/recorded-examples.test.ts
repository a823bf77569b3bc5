import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { SECRETS, SUPPLIER_KINDS } from "../../testing/upstream/supplier-fakes.ts";
import { requestIdOf } from "./bamboo/request-id.ts";
import { getRemoteKind } from "./registry.ts";
import type { LookUpOutcome, RemoteSupplier } from "./supplier.ts";

type Reply = { status: number; body: string };
type Example = {
  name: string;
  does: "buy" | "buyTopUp" | "lookUp" | "lookUpTopUp";
  calls: Record<string, Reply>;
  expect: string;
  /** What it says in its own words: HTTP status, status word, its id, and the state of its books. */
  says: string;
  /** Members without which the answer must not be believed, by call: "content.0.status". */
  needed: Record<string, string[]>;
};

const REFERENCE = "ours-1";
const TOP_UP = { mobile_number: "+15550100" };

let calls: Record<string, Reply>;
/** Calls that were answered, and what was asked that no example has. */
let answered: string[];
let saidLast: string;
const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    const key = `${request.method} ${request.url}`;
    answered.push(key);
    const reply = calls[key] ?? { status: 599, body: "" };
    response.writeHead(reply.status, { "content-type": "application/json" }).end(reply.body);
  });
});
before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
after(() => server.close());

for (const kind of SUPPLIER_KINDS) {
  for (const example of readExamples(kind)) {
    test(`${kind}: ${example.name}: ${example.expect}`, async () => {
      const told = await ask(kind, example, example.calls);
      assert.equal(told, example.expect);
      assert.equal(saidLast, example.says);
      for (const call of Object.keys(example.calls)) {
        assert.equal(
          await ask(kind, example, changed(example, call, addMember)),
          told,
          `${call}: more members`,
        );
        const texts = await ask(kind, example, changed(example, call, numbersAsText));
        assert.ok([told].includes(texts) || isDoubt(texts), `${call}: numbers as text: ${texts}`);
        for (const body of PAGES) {
          const outcome = await ask(
            kind,
            example,
            changed(example, call, () => body),
          );
          assert.ok(isDoubt(outcome) || outcome === told, `${call}: ${body.slice(0, 20)}: ${outcome}`);
          // Wrong credentials are refused by their status, whatever the page says.
          if (example.calls[call]?.status !== 401)
            assert.ok(body !== HTML || isDoubt(outcome), `${call}: ${outcome}`);
        }
      }
      for (const [call, paths] of Object.entries(example.needed)) {
        for (const path of paths) {
          for (const spoil of [remove, rename, makeNull, makeObject]) {
            if (spoil === makeNull && /cardNumber|pin/i.test(path)) continue;
            const outcome = await ask(
              kind,
              example,
              changed(example, call, (text) => edit(text, path, spoil)),
            );
            const isHarmless = isDoubt(outcome) || outcome === "refused rejected_by_issuer";
            const isError = (example.calls[call]?.status ?? 0) >= 400;
            assert.ok(
              isError ? isHarmless || outcome === told : isDoubt(outcome),
              `${path} ${spoil.name}: ${outcome}`,
            );
          }
        }
      }
    });
  }
}

/** What of an answer names the product and, where one can be asked for, its face value, by kind. */
const NAMED: readonly [kind: string, name: string, call: string, sku: string, value?: string][] = [
  ["reloadly", "an order that succeeds", "POST /orders", "product.productId", "product.unitPrice"],
  [
    ...(["reloadly", "a transaction that is found"] as const),
    `GET /reports/transactions?customIdentifier=${REFERENCE}&size=10&page=1`,
    ...(["content.0.product.productId", "content.0.product.unitPrice"] as const),
  ],
  [
    ...(["bamboo", "an order that succeeded"] as const),
    `GET /api/integration/v1.0/orders/${requestIdOf(REFERENCE)}`,
    ...(["items.0.productId", "items.0.productFaceValue"] as const),
  ],
  ["dtone", "a transaction that is confirmed", "POST /v1/async/transactions", "product.id"],
  [
    ...(["dtone", "a voucher that is completed"] as const),
    ...([`GET /v1/transactions?external_id=${REFERENCE}`, "0.product.id"] as const),
  ],
  [
    ...(["dtone", "a transaction that is declined"] as const),
    ...([`GET /v1/transactions?external_id=${REFERENCE}`, "0.product.id"] as const),
  ],
];

for (const [kind, name, call, skuPath, valuePath] of NAMED)
  test(`${kind}: ${name}: another product or face value than was asked for is not believed`, async () => {
    const example = readExamples(kind).find((one) => one.name === name);
    assert.ok(example);
    const value = kind === "reloadly" ? "55" : "25";
    const answers = (path: string, spoil: Spoil) =>
      ask(
        kind,
        example,
        changed(example, call, (text) => edit(text, path, spoil)),
      );
    const say =
      (told: unknown): Spoil =>
      (members, key) => {
        members[key] = told;
      };
    for (const other of [4522, "4522", "45210", "x"])
      assert.equal(await answers(skuPath, say(other)), "unknown: nonsense", `product ${other}`);
    for (const same of ["4521", "", null])
      assert.equal(await answers(skuPath, say(same)), example.expect, `product ${same}`);
    assert.equal(await answers(skuPath, remove), example.expect, `no ${skuPath}`);
    if (valuePath === undefined) return;
    for (const other of [5, Number(value) + 0.01, `${value}0`, `${value}.001`, "-1"])
      assert.equal(await answers(valuePath, say(other)), "unknown: nonsense", `value ${other}`);
    for (const same of [Number(value), `${value}.0`, `${value}.00`, "", null])
      assert.equal(await answers(valuePath, say(same)), example.expect, `value ${same}`);
    assert.equal(await answers(valuePath, remove), example.expect, `no ${valuePath}`);
  });

const HTML = "<!doctype html><title>Maintenance</title>";
const PAGES = [HTML, "", "null", "[[]]", '{"ok":true}', "{", "\u0000"];

/** Nothing is believed, except that it was accepted. */
const isDoubt = (outcome: string): boolean => /^(unknown|accepted)/.test(outcome);

function readExamples(kind: string): Example[] {
  const file = new URL(`../../testing/upstream/examples/${kind}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8").replaceAll("@REQUEST_ID@", requestIdOf(REFERENCE)));
}

async function ask(kind: string, { does }: Example, replies: Record<string, Reply>): Promise<string> {
  calls = replies;
  answered = [];
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const configs: Record<string, object> = {
    reloadly: { clientId: "c", clientSecret: SECRETS.reloadly, baseUrl, authUrl: baseUrl },
    bamboo: { clientId: "c", clientSecret: SECRETS.bamboo, accountId: 17, baseUrl },
    dtone: { apiKey: "k", apiSecret: SECRETS.dtone, baseUrl },
  };
  const supplier = getRemoteKind(kind).open(configs[kind], { timeoutMs: 5_000 });
  const outcome = await call(supplier, kind, does);
  const { httpStatus = "-", word = "-", upstreamId = "-", state = "-" } = outcome.said ?? {};
  saidLast = `${httpStatus} ${word} ${upstreamId} ${state}`;
  return told(outcome);
}

function call(supplier: RemoteSupplier, kind: string, does: Example["does"]): Promise<LookUpOutcome> {
  const inputFields = does.endsWith("TopUp") ? TOP_UP : null;
  const value = kind === "dtone" ? {} : { value: kind === "reloadly" ? "55.00" : "25.00" };
  const request = { reference: REFERENCE, sku: "4521", inputFields, ...value };
  return does.startsWith("buy") ? supplier.buy(request) : supplier.lookUp(REFERENCE, undefined, request);
}

function told(outcome: LookUpOutcome): string {
  const price =
    "price" in outcome && outcome.price && outcome.price !== "unreadable" ? outcome.price : undefined;
  const paid = price ? ` ${price.amountMinor} ${price.currency}` : "";
  switch (outcome.kind) {
    case "delivered": {
      const goods = outcome.goods.reveal();
      if (goods.type === "topup") return `topup ${goods.receipt}${paid}`;
      const code = goods.type === "code" ? goods.code : goods.url;
      return `delivered ${outcome.upstreamId} ${code}${goods.pin ? `/${goods.pin}` : ""}${paid}`;
    }
    case "accepted":
      return `accepted ${outcome.upstreamId}${paid}`;
    case "refused":
      return `refused ${outcome.failureCode}${outcome.supplierFault ? ", its fault" : ""}`;
    case "unknown":
      return `unknown: ${outcome.reason}`;
    case "not_found":
      return "not_found";
  }
}

const changed = (example: Example, key: string, change: (body: string) => string): Record<string, Reply> => {
  const reply = example.calls[key] ?? { status: 500, body: "" };
  return { ...example.calls, [key]: { ...reply, body: change(reply.body) } };
};

const addMember = (text: string): string =>
  text.replaceAll("{", '{"added_by_them":{"x":[1.5,null]},').replaceAll(",}", "}");
const numbersAsText = (text: string): string => text.replace(/([:[,])(-?\d+(?:\.\d+)?)(?=[,\]}])/g, '$1"$2"');

type Spoil = (members: Record<string, unknown>, key: string) => void;
const remove: Spoil = (members, key) => delete members[key];
const rename: Spoil = (members, key) => {
  members[`new_${key}`] = members[key];
  delete members[key];
};
const makeNull: Spoil = (members, key) => {
  members[key] = null;
};
const makeObject: Spoil = (members, key) => {
  members[key] = { value: members[key] };
};

function edit(text: string, path: string, spoil: Spoil): string {
  const body: unknown = JSON.parse(text);
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  const target = keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], body);
  assert.ok(typeof target === "object" && target !== null && last in target, `${path} is in the example`);
  spoil(target as Record<string, unknown>, last);
  return JSON.stringify(body);
}
