import assert from "node:assert/strict";
import { after, afterEach, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { createTestDatabase } from "../../testing/database/test-database.ts";
import { eventually } from "../../testing/eventually.ts";
import { createHandClock } from "../../testing/hand-clock.ts";
import { type SmtpReceiver, startSmtpReceiver } from "../../testing/receivers/smtp-receiver.ts";
import { createLog } from "../lib/log.ts";
import { secret } from "../lib/secret.ts";
import { claimNotice } from "./letter-queries.ts";
import { sendNotices } from "./send-letters.ts";
import { createSmtpMail, type SmtpTimeouts } from "./smtp-mail.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const RECIPIENT = "owner@one.example";

const { db, drop } = await createTestDatabase();
after(drop);
const clock = createHandClock(new Date("2030-01-01T00:00:00Z"));
let lines: string[] = [];
const log = createLog("debug", { write: (line) => void lines.push(line) });
await db.rows(sql`
  insert into resellers (id, name, currency, email, price_list, created_at)
  values ('rsl_1', 'One', 'USD', ${RECIPIENT}, 'standard', now())`);

let server: SmtpReceiver;
beforeEach(async () => {
  lines = [];
  await db.rows(sql`truncate notices restart identity`);
  server = await startSmtpReceiver();
});
afterEach(() => server.close());

test("a notice that is due is sent once, to its owner alone", async () => {
  await addNotice({
    subject: "Your webhook endpoint at hooks.example.com was disabled",
    body: "Änderung\n\n.\nend\n",
  });
  await drain();
  await drain();
  assert.equal(server.mails.length, 1);
  const [mail] = server.mails;
  assert.equal(mail?.from, "scrip@api.example.com");
  assert.deepEqual(mail?.to, [RECIPIENT]);
  assert.match(mail?.data ?? "", /^Subject: Your webhook endpoint at hooks\.example\.com was\s+disabled\r$/m);
  assert.match(mail?.data ?? "", /^Message-ID: <notice-1@api\.example\.com>\r$/m);
  assert.match(mail?.data ?? "", /^Auto-Submitted: auto-generated\r$/m);
  assert.match(mail?.data ?? "", /^Content-Type: text\/plain; charset=utf-8\r$/m);
  assert.deepEqual(await states(), [{ sent: true, tries: 1 }]);
});

test("a recipient that holds a comma is one recipient, and no header can be slipped in", async () => {
  await addNotice({ recipient: "a@one.example, b@two.example", subject: "one\r\nBcc: b@two.example" });
  await drain();
  assert.equal(
    server.mails.some(({ to }) => to.includes("b@two.example")),
    false,
  );
  assert.doesNotMatch(server.mails.map(({ data }) => data).join(""), /^Bcc/m);
});

for (const mood of ["refuse", "hang-up", "silent", "trickle"] as const) {
  test(`a server that does this is tried again, and the log names the notice alone: ${mood}`, async () => {
    await addNotice();
    server.mood = mood;
    await drain();
    assert.deepEqual(await states(), [{ sent: false, tries: 1 }]);
    await eventually("the connection is closed", async () => (server.open() === 0 ? true : undefined));
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? "", /"noticeId":"1","tries":1,"kind":"E[A-Z]+"/);
    assert.doesNotMatch(lines[0] ?? "", /one\.example|RCPT|receiver/);
    server.mood = "serve";
    clock.advance(MINUTE_MS - 1);
    await drain();
    assert.equal(server.mails.length, 0);
    clock.advance(1);
    await drain();
    assert.equal(server.mails.length, 1);
    assert.deepEqual(await states(), [{ sent: true, tries: 2 }]);
  });
}

test("the pauses between tries double up to six hours, and it is never given up", async () => {
  await addNotice();
  const pausesMinutes: number[] = [];
  for (let tries = 0; tries < 40; tries += 1) {
    await sendNotices({ db, clock, log, sendMail: () => Promise.reject(new Error("no")) });
    const [row] = await db.rows<{ at: Date }>(sql`select next_try_at as at from notices`);
    pausesMinutes.push(((row?.at.getTime() ?? 0) - clock.now().getTime()) / MINUTE_MS);
    clock.advance((row?.at.getTime() ?? 0) - clock.now().getTime());
  }
  assert.deepEqual(pausesMinutes.slice(0, 11), [1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360]);
  assert.equal(Math.max(...pausesMinutes) * MINUTE_MS, 6 * HOUR_MS);
  await drain();
  assert.equal(server.mails.length, 1);
});

test("a server that is not there keeps no other notice from its turn", async () => {
  await addNotice();
  await addNotice();
  const tried: string[] = [];
  const sendMail = async ({ id }: { id: string }) => {
    tried.push(id);
    if (id === "notice-1") throw Object.assign(new Error("no"), { code: "ECONNECTION" });
  };
  while (await sendNotices({ db, clock, log, sendMail })) {
    // One after another, until none is due.
  }
  assert.deepEqual(tried, ["notice-1", "notice-2"]);
  assert.deepEqual(await states(), [
    { sent: false, tries: 1 },
    { sent: true, tries: 1 },
  ]);
});

test("two workers at once send each notice once", async () => {
  for (let count = 0; count < 10; count += 1) await addNotice();
  await Promise.all([drain(), drain(), drain()]);
  assert.equal(server.mails.length, 10);
  assert.equal(new Set(server.mails.map(({ data }) => /^Message-ID: .*$/m.exec(data)?.[0])).size, 10);
});

test("a notice that another worker is taking is not waited for", async () => {
  await addNotice();
  await addNotice();
  const pause = { firstMs: MINUTE_MS, maxMs: MINUTE_MS };
  await db.transaction(async (tx) => {
    assert.equal((await claimNotice(tx, clock.now(), pause))?.id, 1n);
    assert.equal((await claimNotice(db, clock.now(), pause))?.id, 2n);
    assert.equal(await claimNotice(db, clock.now(), pause), undefined);
  });
});

test("a password is not told to a server that does not speak TLS", async () => {
  await addNotice();
  await drain("scrip:hunter2@");
  assert.deepEqual(await states(), [{ sent: false, tries: 1 }]);
  assert.equal(server.connections(), 1);
  const said = server.said.join("\n");
  assert.doesNotMatch(said, /AUTH|hunter2/);
  assert.equal(said.includes(Buffer.from("\0scrip\0hunter2").toString("base64")), false);
  assert.doesNotMatch(lines.join(""), /hunter2/);
});

/** Sends until nothing is due. */
async function drain(credentials = ""): Promise<void> {
  const timeouts: SmtpTimeouts = { connectMs: 400, idleMs: 400, wallMs: 600 };
  const url = secret(`smtp://${credentials}127.0.0.1:${server.port}`);
  const sendMail = createSmtpMail({ url, from: "Scrip <scrip@api.example.com>" }, timeouts);
  while (await sendNotices({ db, clock, log, sendMail })) {
    // One after another, until none is due.
  }
}

const addNotice = ({ recipient = RECIPIENT, subject = "A subject", body = "A body\n" } = {}) =>
  db.rows(sql`
    insert into notices (reseller_id, environment, kind, recipient, subject, body, created_at, next_try_at)
    values ('rsl_1', 'live', 'webhook_disabled', ${recipient}, ${subject}, ${body}, ${clock.now()}, ${clock.now()})`);

const states = () =>
  db.rows<{ sent: boolean; tries: number }>(
    sql`select sent_at is not null as sent, tries from notices order by id`,
  );
