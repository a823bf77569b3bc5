import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { TEST_MASTER_KEY } from "../../../testing/app/test-settings.ts";
import {
  addBuyer,
  addCard,
  type Buyer,
  balanceOf,
  CARD_PRICE_MINOR,
  postOrder,
} from "../../../testing/builders/buyers.ts";
import { runScrip, scripJson } from "../../../testing/processes/run-scrip.ts";
import { listActivity } from "../../activity/list-activity.ts";

let scrip: TestApp;
let env: Record<string, string>;
let buyer: Buyer;
let orderId: string;

before(async () => {
  scrip = await createTestApp();
  env = { DATABASE_URL: scrip.connectionString, SCRIP_MASTER_KEY: TEST_MASTER_KEY.toString("base64") };
  await addCard(scrip.db);
  buyer = await addBuyer(scrip, "100.00");
  orderId = (await postOrder(scrip, buyer, "order one")).json().order.id;
});

after(() => scrip.close());

const wallet = (verb: string, ...args: string[]): string[] => [
  "wallet",
  verb,
  "--reseller",
  buyer.resellerId,
  "--env",
  "live",
  ...args,
];

type Moved = { entryId: string; balance: { amount: number } };

test("wallet credit and debit print the entry and the balance that it left, and the reseller reads both", async () => {
  const credited = await scripJson<Moved>(
    wallet("credit", "--amount", "20.5", "--note", "bank transfer 7"),
    env,
  );
  const balance = { amount: 10_000 - CARD_PRICE_MINOR + 2_050, currency: "USD", minorUnitExponent: 2 };
  assert.deepEqual(credited, { entryId: credited.entryId, balance });
  const debited = await runScrip(wallet("debit", "--amount", "0.50", "--note", "correction"), env);
  assert.deepEqual(debited, { code: 0, stdout: "balance 117.50 USD\n", stderr: "" });
  const { data } = (await scrip.call("GET", "/v1/wallet/entries?limit=2", { key: buyer.key })).json();
  assert.deepEqual(
    data.map((row: Record<string, unknown>) => [row.type, row.amount, row.note]),
    [
      ["adjustment", -50, "correction"],
      ["deposit", 2_050, "bank transfer 7"],
    ],
  );
  assert.equal(data[1].id, credited.entryId);
  const reader = { kind: "reseller", resellerId: buyer.resellerId } as const;
  const log = await listActivity(scrip.db, reader, {}, { limit: 2 });
  assert.deepEqual(
    log.data.map(({ action, actor }) => [action, actor.kind]),
    [
      ["wallet.debited", "command"],
      ["wallet.credited", "command"],
    ],
  );
});

test("wallet statement shows the newest entries first, as JSON and as a table", async () => {
  const { data } = (await scrip.call("GET", "/v1/wallet/entries", { key: buyer.key })).json();
  const shown = await scripJson<{ balance: { amount: number }; data: object[] }>(wallet("statement"), env);
  assert.deepEqual(shown.data, data);
  assert.equal(shown.balance.amount, await balanceOf(scrip.db, buyer));
  const { stdout } = await runScrip(wallet("statement", "--limit", "3"), env);
  const [heading, ...lines] = stdout.trimEnd().split("\n");
  assert.match(heading ?? "", /^TIME \(UTC\) +TYPE +AMOUNT +BALANCE +ORDER +NOTE$/);
  assert.match(lines[2] ?? "", new RegExp(`^\\S+ \\S+ +order +-2\\.50 +97\\.50 +${orderId}$`));
  assert.deepEqual(lines.slice(3), [
    "",
    "More entries exist: use --limit, --from and --to.",
    "Balance now: 117.50 USD",
  ]);
});

const REFUSED: [string, () => string[], number, RegExp][] = [
  [
    "too many decimals",
    () => wallet("credit", "--amount", "1.005", "--note", "x"),
    1,
    /too many decimals: USD has 2/,
  ],
  ["an amount of nothing", () => wallet("credit", "--amount", "0", "--note", "x"), 1, /the amount is zero/],
  [
    "an amount below zero",
    () => wallet("debit", "--amount", "-5", "--note", "x"),
    1,
    /"-5" is not an amount/,
  ],
  [
    "more than there is",
    () => wallet("debit", "--amount", "1000", "--note", "x"),
    1,
    /the balance is 117.50 USD, less than 1000/,
  ],
  ["a missing note", () => wallet("credit", "--amount", "1"), 2, /required option '--note/],
  [
    "a statement of no length",
    () => wallet("statement", "--limit", "0"),
    2,
    /--limit must be from 1 to 1000/,
  ],
  [
    "an environment that is none",
    () => [
      "wallet",
      "credit",
      "--reseller",
      buyer.resellerId,
      "--env",
      "prod",
      "--amount",
      "1",
      "--note",
      "x",
    ],
    2,
    /--env must be live or test/,
  ],
  [
    "a reseller that is none",
    () => ["wallet", "statement", "--reseller", "rsl_none", "--env", "live"],
    1,
    /no reseller rsl_none/,
  ],
];

test("a mistake is refused with its reason on standard error, and moves nothing", {
  concurrency: 3,
}, async (t) => {
  const before = await balanceOf(scrip.db, buyer);
  const checks = REFUSED.map(([what, args, code, reason]) =>
    t.test(`${what}: exit ${code}`, async () => {
      const finished = await runScrip(args(), env);
      assert.deepEqual([finished.code, finished.stdout], [code, ""], finished.stderr);
      assert.match(finished.stderr, reason);
    }),
  );
  await Promise.all(checks);
  assert.equal(await balanceOf(scrip.db, buyer), before);
});
