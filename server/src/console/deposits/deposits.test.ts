import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { LightMyRequestResponse } from "fastify";
import sql from "sql-template-tag";
import { openJobDeps } from "../../../testing/builders/job-desk.ts";
import { bankCsv, bytesOf } from "../../../testing/deposits/deposit-desk.ts";
import { openConsoleDesk } from "../../../testing/people/console-desk.ts";
import { COMMAND } from "../../../testing/people/people-desk.ts";
import { audit } from "../../audit/audit.ts";
import { importStatement } from "../../deposits/bank/import-statement.ts";
import { findDeposit } from "../../deposits/deposit-queries.ts";
import { requestDeposit } from "../../deposits/request-deposit.ts";
import { runNextJob } from "../../jobs/run-job.ts";
import { startJob } from "../../jobs/start-job.ts";
import { parseAmountLimits } from "../../lib/money.ts";
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
const HOSTILE = `<img src=x onerror=alert(1)>"'`;
const reseller = await desk.addReseller({ name: HOSTILE });
const tenant = { resellerId: reseller.id, environment: "live" } as const;
const jobs = await openJobDeps(db, clock);

const request = async (amountMinor: bigint, note?: string) =>
  (await requestDeposit({ db, clock }, tenant, { amountMinor, note }, COMMAND)).deposit;
const balance = async () => (await findWallet(db, tenant))?.balanceMinor ?? -1n;
const textOf = ({ body }: LightMyRequestResponse) => body.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
const locationOf = ({ headers }: LightMyRequestResponse) => String(headers.location);

test("finance receives and credits a deposit, and a second click credits nothing more", async () => {
  const { id } = await request(50_000n, HOSTILE);
  const path = `/deposits/${id}`;
  const refused = await ana.post(`${path}/credit`, {});
  assert.equal(refused.statusCode, 422);
  assert.match(textOf(refused), /has not been received/);
  assert.equal((await ana.post(`${path}/receive`, { amount: "1,5" })).statusCode, 422);
  assert.equal(locationOf(await ana.post(`${path}/receive`, { amount: "499.00" })), path);
  const page = await ana.get(path);
  assert.match(textOf(page), /500\.00 USD was requested, and 499\.00 USD arrived/);
  assert.match(textOf(page), /becomes 499\.00 USD/);
  assert.doesNotMatch(page.body, /<img/);
  assert.match(textOf(await ana.get("/")), /1 deposit to credit/);
  const clicks = await Promise.all([1, 2, 3].map(() => ana.post(`${path}/credit`, {})));
  assert.deepEqual(clicks.map(({ statusCode }) => statusCode).toSorted(), [303, 422, 422]);
  assert.equal(await balance(), 49_900n);
  const list = await ana.get("/deposits?status=credited");
  assert.match(textOf(list), /credited RF\d\d D/);
  assert.doesNotMatch(list.body, /<img/);
});

test("a deposit is rejected with a reason, with fresh proof", async () => {
  const { id } = await request(100n);
  const path = `/deposits/${id}/reject`;
  assert.match(textOf(await ana.post(path, { reason: "" })), /Reason/);
  const carl = await desk.enter("finance");
  clock.advance(6 * 60_000);
  assert.equal((await carl.post(path, { reason: "The payment came back" })).statusCode, 403);
  assert.equal((await findDeposit(db, id))?.status, "requested");
  const ben = await desk.enter("admin");
  assert.equal((await ben.post(path, { reason: "The payment came back" })).statusCode, 303);
  assert.match(textOf(await ben.get(`/deposits/${id}`)), /The payment came back/);
});

test("above the limit one person proposes and another approves", async () => {
  const one = await desk.enter("finance");
  const two = await desk.enter("admin");
  const { id } = await request(200_000n);
  const before = await balance();
  await one.post(`/deposits/${id}/receive`, { amount: "2000.00" });
  assert.match(textOf(await one.get(`/deposits/${id}`)), /takes two people/);
  const proposed = locationOf(await one.post(`/deposits/${id}/credit`, {}));
  assert.match(proposed, /^\/money\/proposals\/prp_/);
  assert.equal(await balance(), before);
  assert.match(textOf(await two.get(`/deposits/${id}`)), /The credit waits for approval/);
  assert.equal((await one.post(`${proposed}/approve`, {})).statusCode, 422);
  assert.equal((await two.post(`${proposed}/approve`, {})).statusCode, 303);
  assert.equal(await balance(), before + 200_000n);
  assert.equal((await findDeposit(db, id))?.status, "credited");
});

test("the approver sees the deposit and the lines of the bank, and the money is counted once", async () => {
  const one = await desk.enter("finance");
  const two = await desk.enter("admin");
  const needs = async () => {
    const { body } = await two.get("/");
    const rows = [
      ...body.slice(body.indexOf('id="needs"')).matchAll(/<a class="link" href="[^"]*">([^<]*)<\/a>/g),
    ];
    const badge = /Deposits<\/span> <b>(\d+)</.exec(body)?.[1] ?? "0";
    return {
      rows: rows.map(([, what]) => what).filter((what) => /deposit|credit|movement/.test(what ?? "")),
      badge,
    };
  };
  const before = await needs();
  const [paid, told] = [await request(150_000n), await request(160_000n)];
  const file = bankCsv([
    ["2030-01-02", "1500.00", "USD", `Invoice 7 ${HOSTILE.replaceAll('"', "")} ${paid.reference}`],
  ]);
  await importStatement(
    { ...desk, dualControl: parseAmountLimits("USD:1000.00") },
    bytesOf(file),
    new Set(),
    { actor: { kind: "staff", id: one.accountId }, address: "203.0.113.7" },
  );
  await one.post(`/deposits/${told.id}/receive`, { amount: "1600.00" });
  const byHand = locationOf(await one.post(`/deposits/${told.id}/credit`, {}));
  const list = textOf(await two.get("/deposits?status=received"));
  assert.equal([...list.matchAll(/received waits for approval/g)].length, 2);
  const [{ id: proposalId = "" } = {}] = await db.rows<{ id: string }>(sql`
    select id from movement_proposals where deposit_id = ${paid.id}`);
  const page = await two.get(`/money/proposals/${proposalId}`);
  assert.match(
    textOf(page),
    /Evidence Deposit [A-Z0-9- ]+ Requested .* 1,500\.00 USD Received .* from a bank statement/,
  );
  assert.match(textOf(page), /Bank lines Booked Payer Text Amount 2030-01-02 – Invoice 7/);
  assert.match(page.body, new RegExp(`href="/deposits/${paid.id}"`));
  assert.doesNotMatch(page.body, /<img/);
  assert.match(
    textOf(await two.get(byHand)),
    /No line of a bank statement A person said that the payment has arrived/,
  );
  assert.deepEqual(await needs(), {
    rows: [
      ...before.rows.filter((what) => what?.includes("deposit")),
      "A credit of 1,500.00 USD and 1 more movement",
    ],
    badge: before.badge,
  });
  for (const path of [byHand, `/money/proposals/${proposalId}`]) await one.post(`${path}/withdraw`, {});
});

test("a statement is matched by a job, shown, and applied once it is confirmed", async () => {
  const exact = await request(30_000n);
  const less = await request(30_000n);
  const file = bankCsv([
    ["2030-01-02", "300.00", "USD", `${HOSTILE.replaceAll('"', "")} ${exact.reference}`],
    ["2030-01-02", "299.00", "USD", less.reference],
    ["2030-01-02", '"1,00"', "USD", less.reference],
  ]);
  const maria = await desk.enter("finance");
  const by = { actor: { kind: "staff", id: maria.accountId } } as const;
  const params = { preview: true, rows: null };
  const input = Buffer.from(file);
  const id = await startJob({ ...desk, ...jobs }, { kind: "import_deposits", params, input }, by);
  assert.ok(await runNextJob(jobs));
  const before = await balance();
  const page = await maria.get(`/jobs/${id}`);
  assert.match(textOf(page), /Receive and credit these payments\? Matched 2 of 3 rows/);
  assert.match(textOf(page), /1\.00 USD are missing/);
  assert.match(textOf(page), /has a comma; write the amount like 1000\.00/);
  assert.doesNotMatch(page.body, /<img/);
  assert.equal(await balance(), before);
  const support = await desk.enter("catalog");
  assert.equal((await support.post(`/jobs/${id}/confirm`, {})).statusCode, 403);
  assert.equal((await maria.post(`/jobs/${id}/confirm`, {})).statusCode, 303);
  assert.ok(await runNextJob(jobs));
  assert.equal(await balance(), before + 30_000n);
  assert.deepEqual(
    [(await findDeposit(db, exact.id))?.status, (await findDeposit(db, less.id))?.status],
    ["credited", "received"],
  );
  assert.match(textOf(await maria.get(`/jobs/${id}`)), /Credited deposits 1/);
  assert.match(textOf(await maria.get(`/deposits/${exact.id}`)), /Bank lines/);
  assert.match(textOf(await maria.get("/deposits")), /Bank statements/);
});

test("a file that is no statement fails its job with the reason", async () => {
  const maria = await desk.enter("finance");
  const by = { actor: { kind: "staff", id: maria.accountId } } as const;
  const params = { preview: true, rows: null };
  const input = Buffer.from("<!DOCTYPE x><Document/>");
  const id = await startJob({ ...desk, ...jobs }, { kind: "import_deposits", params, input }, by);
  await runNextJob(jobs);
  assert.match(textOf(await maria.get(`/jobs/${id}`)), /document types and entities are not allowed/);
});

test("the import form takes row numbers and nothing else", async () => {
  const maria = await desk.enter("finance");
  assert.equal((await maria.get("/deposits/import")).statusCode, 200);
  assert.equal((await maria.get("/deposits?cursor=%00")).statusCode, 400);
});
