import assert from "node:assert/strict";
import { after, afterEach, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { createTestDatabase } from "../../testing/database/test-database.ts";
import { eventually } from "../../testing/eventually.ts";
import { createHandClock } from "../../testing/hand-clock.ts";
import { type SmtpReceiver, startSmtpReceiver } from "../../testing/receivers/smtp-receiver.ts";
import { createLog } from "../lib/log.ts";
import { secret } from "../lib/secret.ts";
import { claimLetter } from "./letter-queries.ts";
import { type Letter, queueLetter } from "./queue-letter.ts";
import { sendLetters } from "./send-letters.ts";
import { createSmtpMail, type SmtpTimeouts } from "./smtp-mail.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const TIMEOUTS: SmtpTimeouts = { connectMs: 400, idleMs: 400, wallMs: 600 };
const FROM = "Scrip <scrip@api.example.com>";
const RECIPIENT = "owner@one.example";

const { db, drop } = await createTestDatabase();
after(drop);
const clock = createHandClock(new Date("2030-01-01T00:00:00Z"));
let lines: string[] = [];
const log = createLog("debug", { write: (line) => void lines.push(line) });

let server: SmtpReceiver;
beforeEach(async () => {
  lines = [];
  await db.rows(sql`truncate letters restart identity`);
  server = await startSmtpReceiver();
});
afterEach(() => server.close());

test("a letter that is due is sent once, to its recipient only", async () => {
  await addLetter({
    subject: "Your webhook endpoint at hooks.example.com was disabled",
    text: "Änderung\n\n.\nend\n",
  });
  await drain();
  await drain();
  assert.equal(server.mails.length, 1);
  const [mail] = server.mails;
  assert.equal(mail?.from, "scrip@api.example.com");
  assert.deepEqual(mail?.to, [RECIPIENT]);
  assert.match(mail?.data ?? "", /^Subject: Your webhook endpoint at hooks\.example\.com was\s+disabled\r$/m);
  assert.match(mail?.data ?? "", /^Message-ID: <letter-1@api\.example\.com>\r$/m);
  assert.match(mail?.data ?? "", /^Auto-Submitted: auto-generated\r$/m);
  assert.match(mail?.data ?? "", /^Content-Type: text\/plain; charset=utf-8\r$/m);
  assert.deepEqual(await states(), [{ sent: true, tries: 1 }]);
});

test("a recipient that holds a comma is one recipient", async () => {
  await addLetter({ to: "a,b@two.example" });
  await drain();
  assert.equal(
    server.mails.some(({ to }) => to.includes("b@two.example")),
    false,
  );
});

test("the transport adds no header even if a subject or address contains one", async () => {
  const sendMail = createSmtpMail({ url: secret(`smtp://127.0.0.1:${server.port}`), from: FROM }, TIMEOUTS);
  const mail = { id: "letter-1", recipient: RECIPIENT, subject: "A subject", text: "A body\n", html: null };
  for (const changes of [
    { subject: "one\r\nBcc: b@two.example" },
    { subject: "one\nBcc: b@two.example\n\nanother body" },
    { recipient: "owner@one.example\r\nBcc: b@two.example" },
    { recipient: "owner@one.example>\r\nRCPT TO:<b@two.example" },
  ]) {
    await sendMail({ ...mail, ...changes, date: clock.now() }).catch(() => {});
  }
  assert.doesNotMatch(server.mails.map(({ data }) => data).join(""), /^Bcc/m);
  assert.equal(
    server.mails.some(({ to }) => to.includes("b@two.example")),
    false,
  );
});

test("a letter with HTML is sent as both, and a mail program shows one of them", async () => {
  await addLetter({ text: "Open https://api.example.com/enter\n", html: "<p><a href='…'>Open</a></p>" });
  await drain();
  const data = server.mails[0]?.data ?? "";
  assert.match(data, /^Content-Type: multipart\/alternative;/m);
  assert.ok(data.indexOf("text/plain") < data.indexOf("text/html"), "the richer form comes last");
});

test("a letter that has expired is not sent, and one that has not yet is", async () => {
  await addLetter({ expiresAt: new Date(clock.now().getTime() + MINUTE_MS) });
  server.mood = "refuse";
  await drain();
  server.mood = "serve";
  clock.advance(MINUTE_MS);
  await addLetter({ expiresAt: new Date(clock.now().getTime() + 1) });
  await drain();
  assert.equal(server.mails.length, 1);
  const rows = await db.rows(sql`select status, body_text from letters order by id`);
  assert.deepEqual(rows, [
    { status: "expired", body_text: "A body\n" },
    { status: "sent", body_text: "A body\n" },
  ]);
});

test("a secret does not outlive its letter, sent or expired", async () => {
  const link = { text: "https://api.example.com/enter?token=hush\n", html: "<p>hush</p>", holdsSecret: true };
  await addLetter({ ...link, expiresAt: clock.now() });
  await addLetter(link);
  await drain();
  assert.match(server.mails[0]?.data ?? "", /token=3Dhush|token=hush/);
  const rows = await db.rows(sql`select status, body_text, body_html from letters order by id`);
  assert.deepEqual(rows, [
    { status: "expired", body_text: "", body_html: null },
    { status: "sent", body_text: "", body_html: null },
  ]);
});

test("a letter of a process of the previous version is sent too", async () => {
  await db.rows(sql`
    insert into resellers (id, name, currency, email, price_list, created_at)
    values ('rsl_1', 'One', 'USD', ${RECIPIENT}, 'standard', now())`);
  await db.rows(sql`
    insert into notices (reseller_id, environment, kind, recipient, subject, body, created_at, next_try_at)
    values ('rsl_1', 'live', 'webhook_disabled', ${RECIPIENT}, 'Disabled', 'As before', ${clock.now()}, ${clock.now()})`);
  await drain();
  assert.deepEqual(await states(), [{ sent: true, tries: 1 }]);
  assert.match(server.mails[0]?.data ?? "", /As before/);
  assert.deepEqual(await db.rows(sql`select id from notices`), []);
});

for (const mood of ["refuse", "hang-up", "silent", "trickle"] as const) {
  test(`a server that does this is tried again, and the log names only the letter: ${mood}`, async () => {
    await addLetter();
    server.mood = mood;
    await drain();
    assert.deepEqual(await states(), [{ sent: false, tries: 1 }]);
    await eventually("the connection is closed", async () => (server.open() === 0 ? true : undefined));
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? "", /"letterId":"1","tries":1,"kind":"E[A-Z]+"/);
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

test("the pauses between tries double up to six hours, and a letter is never given up", async () => {
  await addLetter();
  const pausesMinutes: number[] = [];
  for (let tries = 0; tries < 40; tries += 1) {
    await sendLetters({ db, clock, log, sendMail: () => Promise.reject(new Error("no")) });
    const [row] = await db.rows<{ at: Date }>(sql`select next_try_at as at from letters`);
    pausesMinutes.push(((row?.at.getTime() ?? 0) - clock.now().getTime()) / MINUTE_MS);
    clock.advance((row?.at.getTime() ?? 0) - clock.now().getTime());
  }
  assert.deepEqual(pausesMinutes.slice(0, 11), [1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360]);
  assert.equal(Math.max(...pausesMinutes) * MINUTE_MS, 6 * HOUR_MS);
  await drain();
  assert.equal(server.mails.length, 1);
});

test("a letter that cannot be sent does not hold up the next one", async () => {
  await addLetter();
  await addLetter();
  const tried: string[] = [];
  const sendMail = async ({ id }: { id: string }) => {
    tried.push(id);
    if (id === "letter-1") throw Object.assign(new Error("no"), { code: "ECONNECTION" });
  };
  while (await sendLetters({ db, clock, log, sendMail })) {
    // One after another, until none is due.
  }
  assert.deepEqual(tried, ["letter-1", "letter-2"]);
  assert.deepEqual(await states(), [
    { sent: false, tries: 1 },
    { sent: true, tries: 1 },
  ]);
});

test("two workers at once send each letter once", async () => {
  for (let count = 0; count < 10; count += 1) await addLetter();
  await Promise.all([drain(), drain(), drain()]);
  assert.equal(server.mails.length, 10);
  assert.equal(new Set(server.mails.map(({ data }) => /^Message-ID: .*$/m.exec(data)?.[0])).size, 10);
});

test("a letter that another worker is taking is not waited for", async () => {
  await addLetter();
  await addLetter();
  const pause = { firstMs: MINUTE_MS, maxMs: MINUTE_MS };
  await db.transaction(async (tx) => {
    assert.equal((await claimLetter(tx, clock.now(), pause))?.id, 1n);
    assert.equal((await claimLetter(db, clock.now(), pause))?.id, 2n);
    assert.equal(await claimLetter(db, clock.now(), pause), undefined);
  });
});

test("a password is not sent to a server without TLS", async () => {
  await addLetter();
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
  const url = secret(`smtp://${credentials}127.0.0.1:${server.port}`);
  const sendMail = createSmtpMail({ url, from: FROM }, TIMEOUTS);
  while (await sendLetters({ db, clock, log, sendMail })) {
    // One after another, until none is due.
  }
}

let queued = 0;
const addLetter = (changes: Partial<Letter> = {}) => {
  queued += 1;
  const letter = {
    cause: `letter ${queued}`,
    to: RECIPIENT,
    subject: "A subject",
    text: "A body\n",
    ...changes,
  };
  return db.transaction((tx) => queueLetter(tx, letter, clock.now()));
};

const states = () =>
  db.rows<{ sent: boolean; tries: number }>(
    sql`select status = 'sent' as sent, tries from letters order by id`,
  );
