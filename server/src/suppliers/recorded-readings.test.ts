import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { SECRETS } from "../../testing/upstream/supplier-fakes.ts";
import { sayOdd } from "./calls/checked-reading.ts";
import { getRemoteKind } from "./registry.ts";
import { type RemoteSupplier, SupplierUnreadable } from "./supplier.ts";
import { itemId } from "./sync/compare-catalog.ts";

type Reading = {
  kind: string;
  does: "balance" | "offers" | "statement" | "rates";
  call: string;
  body: unknown;
  expect: string;
  /** What is believed when a member is removed, renamed, null or an object, by its path. */
  spoilt: Record<string, string>;
};

const FILE = new URL("../../testing/upstream/examples/readings.json", import.meta.url);
const READINGS: readonly Reading[] = JSON.parse(readFileSync(FILE, "utf8"));
const TOKEN = JSON.stringify({ access_token: "t", expires_in: 5_183_944 });
const PERIOD = [new Date("2026-01-01T00:00:00Z"), new Date("2027-01-01T00:00:00Z")] as const;
/** None of these is an answer of a supplier. */
const PAGES = ["<!doctype html><title>Maintenance</title>", "", "null", "[[]]", '{"ok":true}', "{", "\u0000"];

let bodies: Record<string, string>;
const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    const path = `${request.method} ${(request.url ?? "").split("?")[0]}`;
    response.end(path === "POST /oauth/token" ? TOKEN : (bodies[path] ?? ""));
  });
});
before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
after(() => server.close());

for (const reading of READINGS)
  test(`${reading.kind}: ${reading.does}: ${reading.expect}; nothing else is believed when it changes`, async () => {
    const text = JSON.stringify(reading.body);
    assert.equal(await read(reading, text), reading.expect);
    const more = text.replaceAll("{", '{"added_by_them":{"x":[1.5,null]},').replaceAll(",}", "}");
    assert.equal(await read(reading, more), reading.expect, "more members");
    const texts = text.replace(/([:[,])(-?\d+(?:\.\d+)?)(?=[,\]}])/g, '$1"$2"');
    assert.equal(await read(reading, texts), reading.expect, "numbers as text");
    for (const page of PAGES)
      assert.match(
        await read(reading, page),
        /^(none|unreadable|odd: [a-zA-Z.]+ is missing.*|[a-zA-Z.]+ is missing.*)$/,
        page,
      );
    for (const [path, expected] of Object.entries(reading.spoilt))
      for (const [name, spoil] of Object.entries(SPOILS))
        assert.equal(await read(reading, spoilt(reading.body, path, spoil)), expected, `${path} ${name}`);
  });

async function read({ kind, does, call }: Reading, body: string): Promise<string> {
  bodies = { [call]: body };
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const configs: Record<string, object> = {
    reloadly: { clientId: "c", clientSecret: SECRETS.reloadly, baseUrl, authUrl: baseUrl },
    bamboo: { clientId: "c", clientSecret: SECRETS.bamboo, accountId: 17, baseUrl },
    dtone: { apiKey: "k", apiSecret: SECRETS.dtone, baseUrl },
  };
  const supplier = getRemoteKind(kind).open(configs[kind], { timeoutMs: 5_000 });
  try {
    return await SAY[does](supplier);
  } catch (error) {
    if (!(error instanceof SupplierUnreadable)) throw error;
    return "unreadable";
  }
}

const money = (price: { amountMinor: bigint; currency: string } | undefined): string =>
  price ? `${price.amountMinor} ${price.currency}` : "-";

async function allOf<Row>(pages: AsyncIterable<readonly Row[]> | undefined): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const page of pages ?? []) rows.push(...page);
  return rows;
}

/** What is believed, in words. */
const SAY: Record<Reading["does"], (supplier: RemoteSupplier) => Promise<string>> = {
  async balance(supplier) {
    const { balance, odd = [] } = (await supplier.readBalance?.()) ?? {};
    return balance ? money(balance) : (odd.map(sayOdd)[0] ?? "none");
  },
  async offers(supplier) {
    const offers = await allOf(supplier.listOffers?.());
    return offers
      .map((row) => {
        if ("odd" in row) return `odd: ${sayOdd(row.odd)}`;
        return "left" in row ? `${row.sku} ${row.left}` : `${itemId(row.sku, row.value)} ${money(row.cost)}`;
      })
      .join("; ");
  },
  async statement(supplier) {
    const entries = await allOf(supplier.readStatement?.(...PERIOD));
    return entries
      .map((row) => {
        if ("odd" in row) return `odd: ${sayOdd(row.odd)}`;
        const { state, reference = "-", upstreamId = "-", price, at } = row;
        return `${state} ${reference} ${upstreamId} ${money(price)} ${at?.toISOString() ?? "-"}`;
      })
      .join("; ");
  },
  async rates(supplier) {
    const rates = (await supplier.readRates?.()) ?? [];
    return rates.map(({ base, quote, rate }) => `${base}/${quote} ${rate}`).join("; ");
  },
};

type Spoil = (members: Record<string, unknown>, key: string) => void;
const SPOILS: Readonly<Record<string, Spoil>> = {
  removed: (members, key) => delete members[key],
  renamed: (members, key) => {
    members[`new_${key}`] = members[key];
    delete members[key];
  },
  "set to null": (members, key) => {
    members[key] = null;
  },
  "made an object": (members, key) => {
    members[key] = { wrapped: members[key] };
  },
};

function spoilt(body: unknown, path: string, spoil: Spoil): string {
  const copy = structuredClone(body);
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  const target = keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], copy);
  assert.ok(typeof target === "object" && target !== null && last in target, `${path} is in the example`);
  spoil(target as Record<string, unknown>, last);
  return JSON.stringify(copy);
}
