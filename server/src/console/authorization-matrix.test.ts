import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import {
  CONSOLE_MATRIX,
  type ConsoleFixtures,
  makeConsoleFixtures,
} from "../../testing/app/console-matrix.ts";
import { faceMatrixPage } from "../../testing/app/face-matrix-page.ts";
import {
  CONSOLE_COOKIE,
  CONSOLE_ORIGIN,
  type ConsoleVisit,
  type ConsoleVisiting,
  openConsoleDesk,
} from "../../testing/people/console-desk.ts";
import { signInAs } from "../../testing/people/dashboard-visitor.ts";
import { STAFF_ROLES } from "../accounts/permissions.ts";
import { newCookie } from "../accounts/sessions/session-id.ts";

const PAGE = new URL("../../../docs/authorization-console.md", import.meta.url);
let desk: Awaited<ReturnType<typeof openConsoleDesk>>;
let fixtures: ConsoleFixtures;
const people: ConsoleVisit[] = [];
let ended: ConsoleVisit;
let user: ConsoleVisiting;
let withoutFactor: ConsoleVisit;

before(async () => {
  desk = await openConsoleDesk();
  fixtures = await makeConsoleFixtures(desk);
  for (const role of STAFF_ROLES) people.push(await desk.enter(role));
  const leaver = await desk.enter("admin");
  ended = { ...leaver };
  await leaver.post("/sign-out");
  user = { cookie: (await signInAs(desk, fixtures.resellerId, "owner")).cookie };
  withoutFactor = await desk.enter("admin", { hasFactor: false });
});
after(() => desk?.close());

const rows = Object.entries(CONSOLE_MATRIX);
const guarded = rows.filter(([, { roles }]) => roles !== "public");

test("every page and form of the console has a row, and every row a page", () => {
  const { consolePages } = desk.console;
  const keyOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
  assert.deepEqual(Object.keys(CONSOLE_MATRIX).toSorted(), consolePages.map(keyOf).toSorted());
  for (const page of consolePages) {
    const isPublic = CONSOLE_MATRIX[keyOf(page)]?.roles === "public";
    assert.equal(page.permission === "public", isPublic, keyOf(page));
  }
});

/** The request of a row: its address with the ids of its objects, and fields that the verb would refuse. */
function urlOf(key: string): string {
  const [, path = ""] = key.split(" ");
  return path.replaceAll(
    /:(\w+)/g,
    (_match, name: string) => CONSOLE_MATRIX[key]?.ids?.(fixtures)[name] ?? "missing",
  );
}

/** Each with its own copy: what an answer does to the cookie is not what is tested here. */
const ask = ({ cookie }: ConsoleVisiting, key: string) =>
  key.startsWith("POST")
    ? desk.post({ cookie }, urlOf(key), CONSOLE_MATRIX[key]?.fields ?? {})
    : desk.get({ cookie }, urlOf(key));

test("the address of every form, opened as after a reload, leads to the page of the form", async () => {
  const admin = await desk.enter("admin");
  const isFormAlone = (key: string) =>
    key.startsWith("POST") && !(key.replace("POST", "GET") in CONSOLE_MATRIX);
  for (const [key] of rows.filter(([key]) => isFormAlone(key))) {
    let reply = await desk.get({ ...admin }, urlOf(key));
    const led: string[] = [];
    while (reply.statusCode === 303 && led.length < 3) {
      led.push(String(reply.headers.location));
      reply = await desk.get({ ...admin }, led.at(-1) ?? "");
    }
    assert.equal(reply.statusCode, 200, `${key} leads to ${led}`);
  }
  for (const [form, page] of [
    ["/prices/rates", "/prices"],
    ["/money/review?env=test", "/money/new?env=test"],
    ["/deposits/dep_%2F..%2Fx/credit", "/deposits/dep_%2F..%2Fx"],
  ] as const) {
    const reply = await desk.get({ ...admin }, form);
    assert.deepEqual([reply.statusCode, reply.headers.location], [303, page], form);
  }
});

test("nobody signed in, an ended session, an invented one and one of the dashboard are sent to sign in, and their forms change nothing", async () => {
  for (const [key] of guarded)
    for (const person of [{ cookie: "" }, { cookie: newCookie() }, ended, user]) {
      const reply = await ask(person, key);
      assert.equal(reply.statusCode, key.startsWith("GET") ? 303 : 401, key);
      if (reply.statusCode === 303)
        assert.match(String(reply.headers.location), /^\/sign-in(\?back=|$)/, key);
    }
});

test("each role reaches what it may, and is refused everything else with 403", async () => {
  for (const person of people)
    for (const [key, { roles, endsSession }] of guarded) {
      if (endsSession) continue;
      const { statusCode } = await ask(person, key);
      const isRefused = statusCode === 403 || statusCode === 401;
      const mayNot = roles !== "all" && roles !== "public" && !roles.includes(person.role);
      assert.equal(isRefused, mayNot, `${person.role} ${key}: ${statusCode}`);
      assert.ok(statusCode < 500, `${person.role} ${key}: ${statusCode}`);
    }
});

test("an admin without a second factor reaches only their own account", async () => {
  const own = desk.console.consolePages.filter(({ permission }) => permission === "own_account");
  for (const [key] of guarded) {
    if (own.some(({ method, path }) => `${method} ${path}` === key)) continue;
    const reply = await ask(withoutFactor, key);
    assert.deepEqual([reply.statusCode, reply.headers.location], [303, "/add-factor"], key);
  }
});

test("an address with a NUL character is not found, as a page and as a form", async () => {
  const [admin] = people;
  assert.ok(admin);
  for (const [key, { fields = {} }] of guarded.filter(([key]) => key.includes(":"))) {
    const [method, path = ""] = key.split(" ");
    const url = path.replaceAll(/:\w+/g, "a%00b");
    const reply: { statusCode: number } = await (method === "POST"
      ? desk.post(admin, url, fields)
      : desk.get(admin, url));
    assert.equal(reply.statusCode, 404, key);
  }
});

test("a form from another site, or without the session's token, is refused", async () => {
  const [admin] = people;
  for (const [key] of guarded.filter(([key]) => key.startsWith("POST")))
    for (const origin of ["https://evil.example", "https://api.scrip.example", CONSOLE_ORIGIN]) {
      const reply = await desk.console.inject({
        method: "POST",
        url: urlOf(key),
        headers: {
          cookie: `${CONSOLE_COOKIE}=${admin?.cookie}`,
          "content-type": "application/x-www-form-urlencoded",
          origin,
        },
        payload: "",
      });
      assert.equal(reply.statusCode, 403, `${key} ${origin}`);
    }
});

test("the page in docs/ agrees with the table", () => {
  const page = faceMatrixPage(
    {
      title: "Who can open what in the console",
      test: "server/src/console/authorization-matrix.test.ts",
      roles: STAFF_ROLES,
    },
    CONSOLE_MATRIX,
  );
  if (process.env.WRITE_DOCS === "1") writeFileSync(PAGE, page);
  assert.equal(
    readFileSync(PAGE, "utf8"),
    page,
    "regenerate it: WRITE_DOCS=1 npm test -- server/src/console/authorization-matrix.test.ts",
  );
});
