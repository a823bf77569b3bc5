import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { type DashboardFixtures, MATRIX, makeFixtures } from "../../testing/app/dashboard-matrix.ts";
import { faceMatrixPage } from "../../testing/app/face-matrix-page.ts";
import { openDashboardDesk } from "../../testing/people/dashboard-desk.ts";
import type { DashboardVisitor, Visiting } from "../../testing/people/dashboard-visitor.ts";
import { COMMAND, PASSWORD, tokenOf } from "../../testing/people/people-desk.ts";
import { acceptInvitation } from "../accounts/people/accept-invitation.ts";
import { invitePerson } from "../accounts/people/invite-person.ts";
import { USER_ROLES, type UserRole } from "../accounts/permissions.ts";
import { signOut } from "../accounts/sessions/end-session.ts";
import { createFindSession } from "../accounts/sessions/find-session.ts";
import { newCookie } from "../accounts/sessions/session-id.ts";

const PAGE = new URL("../../../docs/authorization-dashboard.md", import.meta.url);
type Desk = Awaited<ReturnType<typeof openDashboardDesk>>;
let desk: Desk;
let own: DashboardFixtures;
let theirs: DashboardFixtures;
const people = new Map<UserRole, DashboardVisitor>();
let ended: DashboardVisitor;
let staff: Visiting;

before(async () => {
  desk = await openDashboardDesk();
  const [reseller, other] = [await desk.addReseller(), await desk.addReseller()];
  own = await makeFixtures(desk, reseller.id);
  theirs = await makeFixtures(desk, other.id);
  for (const role of USER_ROLES) people.set(role, await desk.join(reseller.id, role));
  ended = await desk.join(reseller.id, "owner");
  const session = await createFindSession(desk.db, desk.clock)("dashboard", ended.cookie, "127.0.0.1");
  assert.ok(session);
  await signOut(desk.accounts, session);
  const input = { email: "staff@scrip.example", role: "admin" };
  const { link } = await invitePerson(desk.accounts, { kind: "staff" }, input, COMMAND);
  const accepted = { token: tokenOf(link), password: PASSWORD };
  const { cookie } = await acceptInvitation(desk.accounts, accepted, desk.visitor);
  staff = { cookie: cookie.reveal() };
});
after(() => desk?.close());

const keyOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

test("every page and form of the dashboard has a row, and every row a page", () => {
  const registered = desk.app.dashboardPages.map(keyOf).toSorted();
  assert.deepEqual(Object.keys(MATRIX).toSorted(), registered);
  for (const page of desk.app.dashboardPages) {
    const isPublic = MATRIX[keyOf(page)]?.roles === "public";
    assert.equal(page.permission === "public", isPublic, keyOf(page));
  }
});

/** What a request of a row is: the address with the ids of its objects, and fields that the verb would refuse. */
function requestOf(key: string, fixtures: DashboardFixtures) {
  const [method = "", path = ""] = key.split(" ");
  const url = path.replaceAll(
    /:(\w+)/g,
    (_match, name: string) => MATRIX[key]?.ids?.(fixtures)[name] ?? "missing",
  );
  return { isForm: method === "POST", url };
}

const ask = (person: { cookie: string }, key: string, fixtures: DashboardFixtures) => {
  const { isForm, url } = requestOf(key, fixtures);
  // Each with its own copy: what an answer does to the cookie is not what is tested here.
  return isForm ? desk.post({ ...person }, url, MATRIX[key]?.fields ?? {}) : desk.get({ ...person }, url);
};

test("the address of every form, opened as after a reload, leads to the page of the form", async () => {
  const owner = people.get("owner");
  const isFormAlone = (key: string) => key.startsWith("POST") && !(key.replace("POST", "GET") in MATRIX);
  for (const key of Object.keys(MATRIX).filter(isFormAlone)) {
    const person = { cookie: owner?.cookie ?? "" };
    let reply = await desk.get(person, requestOf(key, own).url);
    const led: string[] = [];
    while (reply.statusCode === 303 && led.length < 3) {
      led.push(String(reply.headers.location));
      reply = await desk.get(person, led.at(-1) ?? "");
    }
    assert.equal(reply.statusCode, 200, `${key} leads to ${led}`);
  }
});

test("nobody signed in, an ended session, an invented one and one of the console are sent to sign in, and their forms change nothing", async () => {
  for (const [key, { roles }] of Object.entries(MATRIX)) {
    if (roles === "public") continue;
    for (const person of [{ cookie: "" }, { cookie: newCookie() }, ended, staff]) {
      const reply = await ask(person, key, own);
      assert.equal(reply.statusCode, key.startsWith("GET") ? 303 : 401, key);
      if (reply.statusCode === 303)
        assert.match(String(reply.headers.location), /^\/dashboard\/sign-in\?back=/, key);
    }
  }
});

test("each role reaches what it may, and is refused everything else with 403", async () => {
  for (const role of USER_ROLES) {
    const person = people.get(role);
    assert.ok(person);
    for (const [key, { roles, endsSession }] of Object.entries(MATRIX)) {
      if (roles === "public" || endsSession) continue;
      const { statusCode } = await ask(person, key, own);
      const isRefused = statusCode === 403 || statusCode === 401;
      assert.equal(isRefused, roles !== "all" && !roles.includes(role), `${role} ${key}: ${statusCode}`);
      assert.ok(statusCode < 500, `${role} ${key}: ${statusCode}`);
    }
  }
});

test("what belongs to another reseller is not found, whatever the role", async () => {
  for (const [key, { roles, ids }] of Object.entries(MATRIX)) {
    if (!ids || roles === "public") continue;
    for (const [role, person] of people) {
      const { statusCode } = await ask(person, key, theirs);
      const isAllowed: boolean = roles === "all" || roles.includes(role);
      assert.equal(statusCode, isAllowed ? 404 : 403, `${role} ${key}`);
    }
  }
});

test("an address with a NUL character is not found, as a page and as a form", async () => {
  const owner = people.get("owner");
  assert.ok(owner);
  for (const [key, { fields = {} }] of Object.entries(MATRIX).filter(([key]) => key.includes(":"))) {
    const [method, path = ""] = key.split(" ");
    const url = path.replaceAll(/:\w+/g, "a%00b");
    const reply: { statusCode: number } = await (method === "POST"
      ? owner.post(url, fields)
      : owner.get(url));
    assert.equal(reply.statusCode, 404, key);
  }
});

test("a form from another site, or without the session's token, is refused", async () => {
  const owner = people.get("owner");
  for (const key of Object.keys(MATRIX).filter(
    (key) => key.startsWith("POST") && MATRIX[key]?.roles !== "public",
  )) {
    const { url } = requestOf(key, own);
    const headers = {
      cookie: `__Host-scrip=${owner?.cookie}`,
      "content-type": "application/x-www-form-urlencoded",
    };
    for (const more of [{ origin: "https://evil.example" }, { origin: "https://api.scrip.example" }]) {
      const reply = await desk.app.inject({
        method: "POST",
        url,
        headers: { ...headers, ...more },
        payload: "",
      });
      assert.equal(reply.statusCode, 403, `${key} ${more.origin}`);
    }
  }
});

test("the page in docs/ agrees with the table", () => {
  const page = faceMatrixPage(
    {
      title: "Who can open what in the dashboard",
      test: "server/src/dashboard/authorization-matrix.test.ts",
      roles: USER_ROLES,
    },
    MATRIX,
  );
  if (process.env.WRITE_DOCS === "1") writeFileSync(PAGE, page);
  assert.equal(
    readFileSync(PAGE, "utf8"),
    page,
    "regenerate it: WRITE_DOCS=1 npm test -- server/src/dashboard/authorization-matrix.test.ts",
  );
});
