import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { openDashboardDesk } from "../../testing/people/dashboard-desk.ts";
import {
  COOKIE_NAME,
  type DashboardVisitor,
  locationOf,
  ORIGIN,
  visit,
} from "../../testing/people/dashboard-visitor.ts";
import { COMMAND, PASSWORD } from "../../testing/people/people-desk.ts";
import { requireFactor } from "../accounts/people/change-person.ts";
import { listPeople } from "../accounts/people/list-people.ts";
import { newCookie } from "../accounts/sessions/session-id.ts";
import { connectDatabase } from "../db/database.ts";

const PAGE = "/dashboard/security";
let desk: Awaited<ReturnType<typeof openDashboardDesk>>;
/** A second process of the same installation. */
let other: TestApp;
let resellerId: string;
before(async () => {
  desk = await openDashboardDesk();
  other = await createTestApp({
    beside: desk,
    clock: desk.clock,
    connect: async (connectionString) =>
      connectDatabase({
        connectionString,
        applicationName: "second",
        poolSize: 2,
        onConnectionLost: () => {},
      }),
  });
  resellerId = (await desk.addReseller()).id;
});
after(async () => {
  await other?.close();
  await desk?.close();
});

/** What a thief who has the cookie is answered, by each process: a page, then a form. */
async function tryAsThief(cookie: string): Promise<number[]> {
  const statuses: number[] = [];
  for (const app of [desk, other]) {
    statuses.push((await visit(app, { cookie }, PAGE)).statusCode);
    statuses.push((await visit(app, { cookie }, "/dashboard/security/recovery-codes", {})).statusCode);
  }
  return statuses;
}
const REFUSED = [303, 401, 303, 401];
/** Recovery codes without a factor: the form is read and its verb refuses. */
const INSIDE = [200, 422, 200, 422];

const ENDINGS: Readonly<Record<string, (person: DashboardVisitor) => Promise<unknown>>> = {
  "sign-out": (person) => person.post("/dashboard/sign-out"),
  "a new password": (person) =>
    person.post("/dashboard/security/password", { current: PASSWORD, password: "seven quiet herons" }),
  "removal from the team": async (person) => {
    const owner = await desk.join(resellerId, "owner");
    return owner.post(`/dashboard/team/${person.id}/remove`);
  },
  "the session's own End": async (person) => {
    const { body } = await person.get(PAGE);
    const id = /name="id" value="(ses_\w+)"/.exec(body)?.[1] ?? "";
    return person.post("/dashboard/security/sessions/end", { id });
  },
  "seven days": async () => desk.clock.advance(7 * 24 * 3_600_000),
};

for (const [what, end] of Object.entries(ENDINGS))
  test(`a stolen cookie is refused by every process from the next request on: after ${what}`, async () => {
    const person = await desk.join(resellerId, "viewer");
    const stolen = person.cookie;
    assert.deepEqual(await tryAsThief(stolen), INSIDE);
    await end(person);
    assert.deepEqual(await tryAsThief(stolen), REFUSED);
  });

test("a role and a required factor hold in the other process from the next request on", async () => {
  const { id } = await desk.addReseller();
  const owner = await desk.join(id, "owner");
  const person = await desk.join(id, "owner");
  assert.equal((await visit(other, person, "/dashboard/settings")).statusCode, 200);
  await owner.post(`/dashboard/team/${person.id}/role`, { role: "viewer" });
  assert.equal((await visit(other, person, "/dashboard/settings")).statusCode, 403);
  await requireFactor(desk.accounts, id, true, COMMAND);
  assert.equal(locationOf(await visit(other, person, "/dashboard/orders")), "/dashboard/add-factor");
});

test("a planted cookie is not the one that a sign-in makes good", async () => {
  const { email } = await desk.join(resellerId, "viewer");
  const planted = newCookie();
  const victim = { cookie: planted };
  await desk.post(victim, "/dashboard/sign-in", { email, password: PASSWORD });
  assert.notEqual(victim.cookie, planted);
  assert.equal((await desk.get(victim, PAGE)).statusCode, 200);
  assert.deepEqual(await tryAsThief(planted), REFUSED);
});

test("someone who signs in over another person's session gets their own, and the other keeps theirs", async () => {
  const thief = await desk.join(resellerId, "viewer");
  const { email } = await desk.join(resellerId, "viewer");
  const victim = { cookie: thief.cookie };
  await desk.post(victim, "/dashboard/sign-in", { email, password: PASSWORD });
  assert.match((await desk.get(victim, PAGE)).body, new RegExp(email));
  const theirs = (await thief.get(PAGE)).body;
  assert.ok(theirs.includes(thief.email) && !theirs.includes(email));
});

test("a form that another origin or a sibling subdomain makes is refused, signing in included", async () => {
  const owner = await desk.join(resellerId, "owner");
  const before = (await listPeople(desk.db, { kind: "user", resellerId })).length;
  const page = (await owner.get("/dashboard/team")).body;
  const token = /name="_token" value="([\w-]+)"/.exec(page)?.[1] ?? "";
  assert.notEqual(token, "");
  // Even one that has the token of the session, which no other origin can read.
  const payload = (email: string) =>
    new URLSearchParams({ email, role: "owner", password: PASSWORD, _token: token }).toString();
  const elsewhere = [
    { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    { origin: "https://shop.scrip.example", "sec-fetch-site": "same-site" },
    { origin: "https://sub.api.scrip.example", "sec-fetch-site": "same-site" },
    { origin: "http://api.scrip.example", "sec-fetch-site": "cross-site" },
    { origin: "null", "sec-fetch-site": "cross-site" },
    { origin: ORIGIN, "sec-fetch-site": "same-site" },
    {},
  ];
  for (const headers of elsewhere)
    for (const url of ["/dashboard/team", "/dashboard/sign-in", "/dashboard/accept", "/dashboard/sign-out"]) {
      const reply = await desk.app.inject({
        method: "POST",
        url,
        headers: {
          cookie: `${COOKIE_NAME}=${owner.cookie}`,
          "content-type": "application/x-www-form-urlencoded",
          ...headers,
        },
        payload: payload(url === "/dashboard/team" ? "evil@corner.example" : owner.email),
      });
      assert.equal(reply.statusCode, 403, `${url} ${JSON.stringify(headers)}`);
      assert.equal(reply.headers["set-cookie"], undefined);
    }
  assert.equal((await listPeople(desk.db, { kind: "user", resellerId })).length, before);
  assert.equal((await owner.get(PAGE)).statusCode, 200);
});

test("no answer of the dashboard can be framed, and none is kept by the browser", async () => {
  const owner = await desk.join(resellerId, "owner");
  const replies = [
    await owner.get("/dashboard"),
    await owner.get("/dashboard/orders.csv"),
    await owner.get("/dashboard/nothing"),
    await owner.post("/dashboard/team", { email: "x" }),
    await desk.get({ cookie: "" }, "/dashboard/sign-in"),
    await desk.get({ cookie: "" }, "/dashboard/accept?token=x"),
    await desk.get({ cookie: "" }, "/dashboard"),
  ];
  for (const { headers, statusCode } of replies) {
    assert.match(String(headers["content-security-policy"]), /frame-ancestors 'none'/, `${statusCode}`);
    assert.match(String(headers["content-security-policy"]), /form-action 'self'/, `${statusCode}`);
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(headers["referrer-policy"], "same-origin");
  }
});
