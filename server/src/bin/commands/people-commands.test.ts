import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { createTestDatabase } from "../../../testing/database/test-database.ts";
import { freePort } from "../../../testing/processes/free-port.ts";
import { startScrip } from "../../../testing/processes/run-scrip.ts";
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

test("a link leads to where a server was last started, to what a setting of the command says, or else to a guess that is named", async () => {
  const { db, drop, connectionString } = await createTestDatabase();
  try {
    const env = { DATABASE_URL: connectionString, DATA_DIR: folder, PORT: "", CONSOLE_PORT: "" };
    const unset = openScripDesk(env);
    const create = [
      "reseller",
      "create",
      "--name",
      "Shop",
      "--currency",
      "USD",
      "--email",
      "owner@shop.example",
    ];
    const { id } = await unset.json<{ id: string }>(create);
    const user = ["user", "invite", "--email", "ana@shop.example", "--role", "owner", "--reseller", id];
    const staff = ["staff", "invite", "--email", "kim@operator.example", "--role", "admin"];
    const linkOf = async (args: readonly string[], more = {}) => {
      const { stdout, stderr } = await unset.run([...args, "--json"], more);
      return { origin: new URL((JSON.parse(stdout) as Invited).link).origin, stderr };
    };
    const guess = await linkOf(user);
    assert.equal(guess.origin, "http://localhost:8080");
    assert.match(
      guess.stderr,
      /No server has run .* http:\/\/localhost:8080 .* is a guess\. .* set PUBLIC_URL/,
    );
    assert.match((await linkOf(staff)).stderr, /http:\/\/localhost:8081 .* set CONSOLE_URL/);

    assert.match((await unset.run(user)).stdout, /shown this once\.\nNo server has run .* is a guess/);

    const consolePort = await freePort();
    const server = await startScrip([], { ...env, PORT: "0", CONSOLE_PORT: String(consolePort) });
    assert.deepEqual(await linkOf(user), { origin: server.url, stderr: "" });
    await server.stop("SIGTERM");
    assert.deepEqual(await linkOf(user), { origin: server.url, stderr: "" });
    assert.deepEqual(await linkOf(staff), { origin: `http://localhost:${consolePort}`, stderr: "" });

    const settings = { PUBLIC_URL: "https://api.example", CONSOLE_URL: "https://console.example" };
    const origin = async (args: readonly string[], more: Record<string, string>) =>
      (await linkOf(args, more)).origin;
    assert.equal(await origin(user, settings), "https://api.example");
    assert.equal(await origin(staff, settings), "https://console.example");
    assert.equal(await origin(user, { PORT: "9000" }), "http://localhost:9000");

    await unset.run(user, { SMTP_URL: "smtp://127.0.0.1:1" });
    const [letter] = await db.rows<{ text: string }>(
      sql`select body_text as text from letters where holds_secret`,
    );
    assert.ok(letter?.text.includes(`${server.url}/dashboard/accept?token=`));
  } finally {
    await drop();
  }
});

test("reseller create --invite invites its owner too, and an address that cannot be invited creates nothing", async () => {
  const create = (email: string) => [
    ...["reseller", "create", "--name", "New Shop", "--currency", "EUR", "--invite", "--email"],
    email,
  ];
  const { id, email, invitation } = await desk.json<{ id: string; email: string; invitation: Invited }>(
    create("Eve@new.example"),
  );
  assert.equal(email, "Eve@new.example");
  assert.deepEqual(Object.keys(invitation), ["id", "email", "role", "link"]);
  assert.deepEqual([invitation.email, invitation.role], ["eve@new.example", "owner"]);
  assert.match(invitation.link, /^https:\/\/api\.example\/dashboard\/accept\?token=[\w-]{43}$/);
  const people = await desk.json<Listed>(["user", "list", "--reseller", id]);
  assert.deepEqual(
    people.data.map(({ id, state, role }) => [id, state, role]),
    [[invitation.id, "invited", "owner"]],
  );
  assert.match(
    (await desk.run(create("fay@new.example"))).stdout,
    /^created rsl_.*\n\nhttps:.*accept\?token=/,
  );
  const before = await desk.json<Listed>(["reseller", "list"]);
  const refused = await desk.run(create("a(b@new.example"));
  assert.deepEqual([refused.code, refused.stderr.includes("email address such as")], [1, true]);
  assert.deepEqual(await desk.json<Listed>(["reseller", "list"]), before);
});
