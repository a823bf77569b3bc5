import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { createTestDatabase } from "../../../testing/database/test-database.ts";
import { openScripDesk } from "../../../testing/processes/scrip-desk.ts";

const { db, drop, connectionString } = await createTestDatabase();
const folder = await mkdtemp(join(tmpdir(), "scrip-people-"));
after(async () => {
  await drop();
  await rm(folder, { recursive: true, force: true });
});
const desk = openScripDesk({
  DATABASE_URL: connectionString,
  DATA_DIR: folder,
  PUBLIC_URL: "https://api.example",
});
type Invited = { id: string; email: string; role: string; link: string };
type Listed = { data: { id: string; state: string; role: string }[] };

test("user and staff: invite prints a link, list shows the person, remove and reset-factor take an id", async () => {
  const reseller = [
    "reseller",
    "create",
    "--name",
    "Shop",
    "--currency",
    "USD",
    "--email",
    "owner@corner.example",
  ];
  const { id: resellerId } = await desk.json<{ id: string }>(reseller);
  const user = ["--email", "Ana@corner.example", "--role", "owner", "--reseller", resellerId];
  const ana = await desk.json<Invited>(["user", "invite", ...user]);
  assert.deepEqual(Object.keys(ana), ["id", "email", "role", "link"]);
  assert.equal(ana.email, "ana@corner.example");
  assert.match(ana.link, /^https:\/\/api\.example\/dashboard\/accept\?token=[\w-]{43}$/);
  const kim = await desk.json<Invited>([
    "staff",
    "invite",
    "--email",
    "kim@operator.example",
    "--role",
    "admin",
  ]);
  assert.match(kim.link, /^http:\/\/localhost:8081\/accept\?token=/);
  assert.deepEqual(
    (await desk.json<Listed>(["user", "list"])).data.map(({ id, state }) => [id, state]),
    [[ana.id, "invited"]],
  );
  assert.deepEqual((await desk.json<Listed>(["user", "list", "--reseller", "rsl_other"])).data, []);
  assert.deepEqual(
    (await desk.json<Listed>(["staff", "list"])).data.map(({ id, role }) => [id, role]),
    [[kim.id, "admin"]],
  );
  assert.match((await desk.run(["user", "list"])).stdout, /ana@corner\.example +owner +invited/);

  assert.match((await desk.run(["user", "reset-factor", ana.id])).stdout, /password alone/);
  assert.match((await desk.run(["staff", "reset-factor", kim.id])).stdout, /must add a new factor/);
  const wrong = await desk.run(["staff", "remove", ana.id]);
  assert.deepEqual([wrong.code, wrong.stderr.includes("there is no member of the staff")], [1, true]);
  assert.match((await desk.run(["user", "remove", ana.id])).stdout, /^removed usr_/);
  assert.match((await desk.run(["user", "list"])).stdout, /No people yet/);

  const rows = await db.rows<{ action: string; actor: string }>(
    sql`select action, actor_kind as actor from activity order by id`,
  );
  assert.deepEqual(
    rows.map(({ action, actor }) => `${actor} ${action}`),
    [
      "command reseller.created",
      "command person.invited",
      "command person.invited",
      "command factor.reset",
      "command factor.reset",
      "command person.removed",
    ],
  );
});

test("the last admin cannot be removed by command", async () => {
  const invite = ["staff", "invite", "--email", "only@operator.example", "--role", "admin"];
  const only = await desk.json<Invited>(invite);
  await db.rows(sql`update accounts set accepted_at = now() where id = ${only.id}`);
  const refused = await desk.run(["staff", "remove", only.id]);
  assert.deepEqual(
    [refused.code, refused.stderr],
    [1, "scrip: A team needs at least one admin. Make someone else admin first.\n"],
  );
});

test("a letter with a link is queued where there is a mail server, and not kept in the database where there is none", async () => {
  const invite = ["staff", "invite", "--role", "viewer", "--json", "--email"];
  await desk.run([...invite, "one@operator.example"]);
  await desk.run([...invite, "two@operator.example"], { SMTP_URL: "smtp://127.0.0.1:1" });
  const letters = await db.rows<{ to: string; secret: boolean }>(
    sql`select recipient as to, holds_secret as secret from letters where recipient like any('{one@%,two@%}')`,
  );
  assert.deepEqual(letters, [{ to: "two@operator.example", secret: true }]);
});

test("a wrong role, address or reseller is refused in one line", async () => {
  const invite = (args: string) => desk.run(["user", "invite", ...args.split(" ")]);
  assert.match(
    (await invite("--email a@b.c --role admin --reseller rsl_x")).stderr,
    /there is no reseller rsl_x/,
  );
  assert.match(
    (await desk.run(["staff", "invite", "--email", "a@b.c", "--role", "owner"])).stderr,
    /one of admin, finance/,
  );
  assert.match(
    (await desk.run(["staff", "invite", "--email", "a b", "--role", "admin"])).stderr,
    /email address such as/,
  );
  assert.equal((await invite("--email a@b.c --role owner")).code, 2);
});
