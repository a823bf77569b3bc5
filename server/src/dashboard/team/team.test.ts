import assert from "node:assert/strict";
import { after, test } from "node:test";
import { countWaiting } from "../../../testing/database/count-waiting.ts";
import { eventually } from "../../../testing/eventually.ts";
import { openDashboardDesk } from "../../../testing/people/dashboard-desk.ts";
import { cookieOf, locationOf } from "../../../testing/people/dashboard-visitor.ts";
import { updateRole } from "../../accounts/account-queries.ts";
import { listPeople } from "../../accounts/people/list-people.ts";
import { listActivity } from "../../activity/list-activity.ts";

const desk = await openDashboardDesk();
const { get, post, db } = desk;
after(desk.close);
const { id: resellerId } = await desk.addReseller();
const owner = await desk.join(resellerId, "owner");
const actions = async () =>
  (await listActivity(db, { kind: "reseller", resellerId }, {}, { limit: 100 })).data.map(
    ({ action, actor }) => `${action} by ${actor.kind} ${actor.id ?? ""}`,
  );

test("an owner invites: the link is shown once, and what is wrong is said at its field", async () => {
  const shown = await post(owner, "/dashboard/team", {
    email: "kim@corner.example",
    name: "Kim",
    role: "viewer",
  });
  assert.equal(shown.statusCode, 200);
  assert.match(shown.body, /https:\/\/api\.scrip\.example\/dashboard\/accept\?token=[\w-]{43}/);
  const team = await get(owner, "/dashboard/team");
  assert.match(team.body, /kim@corner\.example/);
  assert.doesNotMatch(team.body, /token=/);
  assert.ok((await actions()).includes(`person.invited by user ${owner.id}`));
  const refused = await post(owner, "/dashboard/team", { email: owner.email, name: "Typed", role: "viewer" });
  assert.equal(refused.statusCode, 422);
  assert.match(refused.body, /is on this team already/);
  assert.match(refused.body, /value="Typed"/);
  for (const fields of [
    { email: "x", role: "viewer" },
    { email: "a@b.example", role: "admin" },
  ])
    assert.equal((await post(owner, "/dashboard/team", fields)).statusCode, 422);
});

test("a form that was sent twice invites once", async () => {
  const fields = { email: "twice@corner.example", role: "viewer", _form: "AAAAAAAAAAAAAAAAAAAAAA" };
  const replies = [
    await post(owner, "/dashboard/team", fields),
    await post(owner, "/dashboard/team", fields),
  ];
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [200, 409],
  );
});

test("an owner changes a role, resets a factor, removes a person, and each is in the log with its actor", async () => {
  const person = await desk.join(resellerId, "viewer");
  const path = `/dashboard/team/${person.id}`;
  assert.equal((await get(owner, path)).statusCode, 200);
  assert.equal((await post(owner, `${path}/role`, { role: "support" })).statusCode, 303);
  assert.equal((await post(owner, `${path}/role`, { role: "god" })).statusCode, 422);
  assert.equal((await post(owner, `${path}/reset-factor`)).statusCode, 303);
  assert.equal((await get(person, "/dashboard/team")).statusCode, 303);
  assert.equal((await post(owner, `${path}/remove`)).statusCode, 303);
  assert.equal((await post(owner, `${path}/remove`)).statusCode, 404);
  const log = await actions();
  for (const action of ["person.role_changed", "factor.reset", "person.removed"])
    assert.ok(log.includes(`${action} by user ${owner.id}`), action);
});

test("a new link for someone whose role is changed at the same time keeps the changed role", async () => {
  const email = "dana@corner.example";
  await post(owner, "/dashboard/team", { email, name: "Dana", role: "owner" });
  const dana = async () =>
    (await listPeople(db, { kind: "user", resellerId })).find((one) => one.email === email);
  const { id = "" } = (await dana()) ?? {};
  const reply = await db.transaction(async (tx) => {
    await updateRole(tx, id, "viewer");
    const posted = post(owner, `/dashboard/team/${id}/invite`);
    // It has read the person and waits for this change.
    await eventually("the new link waits", async () => ((await countWaiting(db)) > 0 ? true : undefined));
    return { posted };
  });
  assert.equal((await reply.posted).statusCode, 200);
  assert.deepEqual([(await dana())?.role, (await dana())?.name], ["viewer", "Dana"]);
});

test("the last owner stays, and says why", async () => {
  const reply = await post(owner, `/dashboard/team/${owner.id}/remove`);
  assert.equal(reply.statusCode, 422);
  assert.match(reply.body, /A team needs at least one owner/);
});

test("someone of another team and nobody at all look the same", async () => {
  const other = await desk.join((await desk.addReseller()).id, "owner");
  const strip = (body: string) => body.replaceAll(/req_\w+|data-now="[^"]*"|usr_\w+|value="[\w-]+"/g, "");
  const [theirs, missing] = [
    await get(owner, `/dashboard/team/${other.id}`),
    await get(owner, "/dashboard/team/usr_00000000000000000000000000"),
  ];
  assert.deepEqual([theirs.statusCode, missing.statusCode], [404, 404]);
  assert.equal(strip(theirs.body), strip(missing.body));
  for (const what of ["role", "remove", "reset-factor", "invite"])
    assert.equal(
      (await post(owner, `/dashboard/team/${other.id}/${what}`, { role: "viewer" })).statusCode,
      404,
    );
  assert.equal((await listPeople(db, { kind: "user", resellerId: other.resellerId })).length, 1);
});

test("an owner who requires a factor of the team is asked for one too", async () => {
  const boss = await desk.join((await desk.addReseller()).id, "owner");
  await post(boss, "/dashboard/team/require-factor", { required: "yes" });
  assert.equal(locationOf(await get(boss, "/dashboard/team")), "/dashboard/add-factor");
  assert.equal(locationOf(await post(boss, "/dashboard/team/require-factor")), "/dashboard/add-factor");
});

test("the environment stays in every link and form of the page, and names are shown as text", async () => {
  await post(owner, "/dashboard/team", {
    email: "h@corner.example",
    name: "<script>alert(1)</script>",
    role: "viewer",
  });
  const { body, headers } = await get(owner, "/dashboard/team?env=test");
  assert.match(body, /&lt;script&gt;alert\(1\)/);
  assert.doesNotMatch(body, /<script>alert/);
  assert.match(body, /Test data/);
  assert.equal(cookieOf({ headers } as never), undefined);
  const addresses = [...body.matchAll(/(?:href|action)="(\/dashboard[^"]*)"/g)].map(
    ([, address = ""]) => address,
  );
  const kept = addresses.filter((address) => address.includes("env=test"));
  assert.deepEqual([...new Set(addresses.filter((address) => !kept.includes(address)))].toSorted(), [
    "/dashboard/orders",
    "/dashboard/sign-out",
    "/dashboard/team",
    "/dashboard/theme",
  ]);
  const search = /<form[^>]*action="\/dashboard\/orders"[^>]*>.*?<\/form>/s.exec(body)?.[0] ?? "";
  assert.match(
    search,
    /<input type="hidden" name="env" value="test"/,
    "the search form carries it as a field",
  );
});
