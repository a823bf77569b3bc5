import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { LightMyRequestResponse } from "fastify";
import { openConsoleDesk } from "../../../testing/people/console-desk.ts";
import { listActivity } from "../../activity/list-activity.ts";
import { audit } from "../../audit/audit.ts";
import { createCursorCodec } from "../../lib/cursor.ts";
import { exportStatement, listStatement } from "../../wallet/list-statement.ts";
import { moveFunds } from "../../wallet/move-funds.ts";
import { findWallet } from "../../wallet/queries.ts";

const desk = await openConsoleDesk({ dualControlAbove: "1000" });
const { db, clock } = desk;
after(async () => {
  try {
    const { ok, invariants } = await audit(db);
    assert.ok(ok, JSON.stringify(invariants));
  } finally {
    await desk.close();
  }
});

const ana = await desk.enter("finance");
const reader = await desk.enter("viewer");
const HOSTILE = `<img src=x onerror=alert(1)>"'`;
const reseller = await desk.addReseller({ name: HOSTILE });
const tenant = { resellerId: reseller.id, environment: "live" } as const;
const cursors = createCursorCodec(desk.secrets.cursorKey);

const balance = async () => (await findWallet(db, tenant))?.balanceMinor;
const movement = (more: object = {}) => ({
  ...{ resellerId: reseller.id, direction: "credit", amount: "250.00", note: "Bank transfer 4711" },
  ...more,
});
const textOf = ({ body }: LightMyRequestResponse) => body.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
const locationOf = ({ headers }: LightMyRequestResponse) => String(headers.location);

test("a page says what will happen to the balance, and only the confirmed form moves the money", async () => {
  const review = await ana.post("/money/review", movement());
  assert.equal(review.statusCode, 200);
  assert.match(
    textOf(review),
    /The balance is 0\.00 USD now and becomes 250\.00 USD\. This happens at once\./,
  );
  assert.equal(await balance(), 0n);
  const moved = await ana.post("/money/movements", movement());
  assert.deepEqual([moved.statusCode, locationOf(moved)], [303, "/money"]);
  assert.equal(await balance(), 25_000n);
  const page = await ana.get("/money");
  assert.match(textOf(page), /deposit 250\.00 USD 250\.00 USD Bank transfer 4711/);
  assert.doesNotMatch(page.body, /<img/);
});

test("a form that is sent twice moves the money once", async () => {
  const once = movement({ _form: "f".repeat(22) });
  const form = /name="_form" value="([^"]+)"/.exec((await ana.post("/money/review", once)).body)?.[1] ?? "";
  const replies = await Promise.all(
    [1, 2].map(() => ana.post("/money/movements", movement({ _form: form }))),
  );
  assert.deepEqual(replies.map(({ statusCode }) => statusCode).toSorted(), [303, 409]);
  assert.equal(await balance(), 50_000n);
});

test("what makes no sense comes back at its field, and nothing moves", async () => {
  for (const [more, said] of [
    [{ amount: "0" }, /The amount is zero/],
    [{ amount: "1.234" }, /too many decimals/],
    [{ amount: "" }, /Enter|required|Amount/],
    [
      { direction: "debit", amount: "500.01" },
      /The balance is 500\.00 USD(\. It cannot go below zero|, less than 500\.01)/,
    ],
    [{ note: "" }, /Note/],
    [{ direction: "sideways" }, /Choose one of the options/],
  ] as const)
    for (const path of ["/money/review", "/money/movements"]) {
      const reply = await ana.post(path, movement(more));
      assert.equal(reply.statusCode, 422, JSON.stringify(more));
      assert.match(textOf(reply), said);
    }
  assert.equal((await ana.post("/money/movements", movement({ resellerId: "rsl_none" }))).statusCode, 404);
  assert.equal(await balance(), 50_000n);
});

test("without fresh proof the form waits, and nothing moves", async () => {
  const carl = await desk.enter("finance");
  clock.advance(6 * 60_000);
  const reply = await carl.post("/money/movements", movement());
  assert.equal(reply.statusCode, 403);
  assert.match(reply.body, /Bank transfer 4711/);
  assert.equal(await balance(), 50_000n);
});

test("above the limit one person proposes and another approves, and the money moves once", async () => {
  const [ana2, ben2] = [await desk.enter("finance"), await desk.enter("admin")];
  const typed = movement({ amount: "1000.01" });
  const review = await ana2.post("/money/review", typed);
  assert.match(textOf(review), /Above 1,000\.00 USD another person has to approve/);
  assert.match(textOf(review), /Propose credit/);
  const page = locationOf(await ana2.post("/money/movements", typed));
  assert.match(page, /^\/money\/proposals\/prp_/);
  assert.equal(await balance(), 50_000n);

  const own = await ana2.get(page);
  assert.doesNotMatch(own.body, />Approve</);
  assert.match(own.body, />Withdraw</);
  assert.equal((await ana2.post(`${page}/approve`)).statusCode, 422);
  assert.doesNotMatch((await reader.get(page)).body, />Approve<|>Withdraw</);
  assert.equal((await reader.post(`${page}/approve`)).statusCode, 403);

  const overview = await ben2.get("/");
  assert.match(overview.body, new RegExp(`href="${page}"`));
  assert.match(textOf(overview), /A credit of 1,000\.01 USD Another person has to approve\./);
  assert.match((await ben2.get("/money")).body, new RegExp(`href="${page}">Approve</a>`));
  const shown = textOf(await ben2.get(page));
  assert.match(shown, /The balance is 500\.00 USD now and becomes 1,500\.01 USD/);
  const ends = await Promise.all([1, 2].map(() => ben2.post(`${page}/approve`)));
  assert.deepEqual(ends.map(({ statusCode }) => statusCode).toSorted(), [303, 422]);
  const refused = ends.find(({ statusCode }) => statusCode === 422);
  assert.match(refused?.body ?? "", /This was approved already\. The money has moved once\./);
  assert.equal(await balance(), 150_001n);
  await assertBothNamed(ana2.accountId, ben2.accountId);
  const closed = await ben2.get(page);
  assert.match(textOf(closed), /approved/);
  assert.doesNotMatch(closed.body, />Approve</);
});

/** The ledger, and so the operator, has both people. No face of the reseller shows either. */
async function assertBothNamed(proposer: string, approver: string): Promise<void> {
  const page = { filters: {}, cursor: undefined, limit: 1 };
  const { data } = await listStatement({ db, cursors }, tenant, { ...page, isForOperator: true });
  const note = `Bank transfer 4711 (proposed by ${proposer}, approved by ${approver})`;
  assert.equal(data[0]?.note, note);
  for (const path of ["/money", "/money.csv", `/resellers/${reseller.id}`])
    assert.ok((await ana.get(path)).body.includes(note), path);
  const log = await listActivity(db, { kind: "staff" }, { action: "wallet.credited" }, { limit: 1 });
  assert.equal(log.data[0]?.after?.note, "Bank transfer 4711");
  const exported: (string | null)[] = [];
  for await (const entry of exportStatement(db, tenant, {})) exported.push(entry.note);
  const admin = await desk.enter("admin");
  const { key } = await desk.addKey(reseller.id);
  for (const read of [
    (await listStatement({ db, cursors }, tenant, page)).data[0]?.note,
    exported[0],
    (await desk.call("GET", "/v1/wallet/entries", { key })).body,
    (await admin.get(`/view/${reseller.id}/wallet`)).body,
    (await admin.get(`/view/${reseller.id}/wallet/statement`)).body,
    (await admin.get(`/view/${reseller.id}/activity`)).body,
    (await admin.get(`/view/${reseller.id}/activity.csv`)).body,
  ]) {
    assert.match(read ?? "", /Bank transfer 4711/);
    assert.doesNotMatch(read ?? "", /stf_|proposed by|approved by/);
  }
}

test("a rejection and a withdrawal move nothing, and what is closed is not offered again", async () => {
  const [one, two] = [await desk.enter("finance"), await desk.enter("finance")];
  const propose = async () => locationOf(await one.post("/money/movements", movement({ amount: "2000.00" })));
  const first = await propose();
  assert.equal((await two.post(`${first}/reject`, { reason: "" })).statusCode, 422);
  assert.equal((await two.post(`${first}/reject`, { reason: "Wrong reseller" })).statusCode, 303);
  assert.match(textOf(await one.get(first)), /rejected .* Wrong reseller/);
  const second = await propose();
  assert.equal((await one.post(`${second}/withdraw`)).statusCode, 303);
  assert.equal((await two.post(`${second}/approve`)).statusCode, 422);
  const closed = await two.get("/money/proposals");
  assert.match(textOf(closed), /withdrawn .* rejected .* approved/);
  assert.match(textOf(await two.get("/money")), /Nothing waits/);
  assert.equal(await balance(), 150_001n);
});

test("a debit that the wallet cannot pay any more is not offered", async () => {
  const [one, two] = [await desk.enter("finance"), await desk.enter("admin")];
  const typed = movement({ direction: "debit", amount: "1400.00" });
  const page = locationOf(await one.post("/money/movements", typed));
  await moveFunds(db, clock, tenant, { direction: "debit", amount: "200.00", note: "" });
  const shown = await two.get(page);
  assert.match(textOf(shown), /less than this debit of 1,400\.00 USD/);
  assert.doesNotMatch(shown.body, />Approve<\/button>/);
  assert.equal((await two.post(`${page}/approve`)).statusCode, 422);
  assert.equal(await balance(), 130_001n);
});

test("two people debit the same money at once: one succeeds, the other is told, and nothing moves twice", async () => {
  const poor = await desk.addReseller({ name: "Poor" });
  const wallet = { resellerId: poor.id, environment: "live" } as const;
  await moveFunds(db, clock, wallet, { direction: "credit", amount: "10.00", note: "" });
  const debit = movement({ resellerId: poor.id, direction: "debit", amount: "10.00" });
  const people = [await desk.enter("finance"), await desk.enter("admin")];
  const replies = await Promise.all(people.map((person) => person.post("/money/movements", debit)));
  assert.deepEqual(replies.map(({ statusCode }) => statusCode).toSorted(), [303, 422]);
  const refused = replies.find(({ statusCode }) => statusCode === 422);
  assert.match(refused ? textOf(refused) : "", /balance/i);
  assert.equal((await findWallet(db, wallet))?.balanceMinor, 0n);
});

test("movements of all resellers are pages that meet, by environment", async () => {
  const other = await desk.addReseller({ name: "Other" });
  for (let nth = 0; nth < 51; nth += 1)
    await moveFunds(
      db,
      clock,
      { resellerId: other.id, environment: "live" },
      { direction: "credit", amount: "1.00", note: `n${nth}` },
    );
  const first = await ana.get("/money");
  assert.match(textOf(first), / n50 /);
  const next = /href="(\/money\?cursor=[^"]+)"/.exec(first.body)?.[1] ?? "";
  const second = textOf(await ana.get(next.replaceAll("&amp;", "&")));
  assert.match(second, / n0 .*Bank transfer 4711/);
  assert.doesNotMatch(second, / n1 /);
  assert.match(textOf(await ana.get("/money?env=test")), /Test funds/);
  assert.equal((await ana.get("/money?cursor=junk")).statusCode, 400);
});

test("movements are found by reseller, reason and day, and the file has what the page shows", async () => {
  const other = await desk.addReseller({ name: "=Other" });
  const there = { resellerId: other.id, environment: "live" } as const;
  await moveFunds(db, clock, there, { direction: "credit", amount: "30.00", note: "=first" });
  const before = clock.now();
  clock.advance(2 * 86_400_000);
  await moveFunds(db, clock, there, { direction: "debit", amount: "10.00", note: "correction" });
  const day = (at: Date) => at.toISOString().slice(0, 10);
  const person = await desk.enter("viewer");
  const notes = async (query: string) => {
    const lines = (await person.get(`/money.csv?${query}`)).body.trim().split("\r\n").slice(1);
    const shown = textOf(await person.get(`/money?${query}`));
    return lines.map((line) => {
      const note = line.split(",").at(-1) ?? "";
      assert.ok(shown.includes(note.replace(/^"?'?/, "").replace(/"$/, "")), note);
      return note;
    });
  };
  const ofOther = `reseller=${other.id}`;
  assert.deepEqual(await notes(ofOther), ["correction", "'=first"]);
  assert.deepEqual(await notes(`${ofOther}&reason=adjustment`), ["correction"]);
  assert.deepEqual(await notes(`${ofOther}&to=${day(before)}`), ["'=first"]);
  assert.deepEqual(await notes(`from=${day(clock.now())}`), ["correction"]);
  assert.deepEqual(await notes(`${ofOther}&from=${day(clock.now())}&reason=deposit`), []);
  assert.match(textOf(await person.get("/money?reseller=rsl_missing")), /No movement matches these filters/);
});
