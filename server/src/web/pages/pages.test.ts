import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { LightMyRequestResponse } from "fastify";
import { createGallery, GALLERY_COOKIE, GALLERY_TOKEN } from "../../../testing/gallery/serve-gallery.ts";
import { newFormId } from "../form/hidden-fields.ts";
import { maskToken } from "../security/form-token.ts";
import { PAGE_HEADERS } from "../security/page-headers.ts";

const ORIGIN = "https://api.scrip.example";
let isAway = false;
const { app, pages, ran } = createGallery({ publicUrl: ORIGIN, isDatabaseAway: () => isAway });
const routes: string[] = [];
app.addHook("onRoute", ({ schema, url }) => {
  if (schema?.operationId !== undefined) routes.push(url);
});
after(() => app.close());

const COOKIE = `__Host-scrip=${GALLERY_COOKIE}`;
const SAME_ORIGIN = { origin: ORIGIN, "sec-fetch-site": "same-origin" };
const FINE = "name=shop&environment=test&scopes=orders:read&ends=now&password=long-enough-now&agreed=yes";

const get = (url: string, headers: Record<string, string> = { cookie: COOKIE }) =>
  app.inject({ url, headers });
const post = (
  url: string,
  fields: string,
  headers: Record<string, string> = {},
  token = GALLERY_TOKEN,
): Promise<LightMyRequestResponse> =>
  app.inject({
    method: "POST",
    url,
    headers: {
      cookie: COOKIE,
      "content-type": "application/x-www-form-urlencoded",
      ...SAME_ORIGIN,
      ...headers,
    },
    payload: `${fields}&_token=${token && maskToken(token)}`,
  });
const cookiesOf = (reply: LightMyRequestResponse): string[] => [reply.headers["set-cookie"] ?? []].flat();

test("every page has the headers of pages, whatever its status", async () => {
  await app.ready();
  const replies = [
    await get("/gallery"),
    await get("/gallery/sign-in", {}),
    await get("/gallery", {}),
    await get("/gallery/never"),
    await get("/gallery/nope"),
    await get("/gallery/orders.csv"),
    await post("/gallery/form", "name="),
    await post("/gallery/form", FINE, { origin: "https://evil.example" }),
    await post("/gallery/form", FINE),
  ];
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [200, 200, 303, 403, 404, 200, 422, 403, 303],
  );
  for (const { headers } of replies)
    for (const [name, value] of Object.entries(PAGE_HEADERS)) assert.equal(headers[name], value, name);
  assert.deepEqual(routes, []);
});

test("without a session a page leads to sign in and back, and a form says that nothing was done", async () => {
  const before = ran.length;
  for (const path of [
    "/gallery/orders?status=failed",
    "/gallery/never",
    "/gallery/no-such-page",
    "/gallery/orders.csv",
  ]) {
    const reply = await get(path, { cookie: "__Host-scrip=ended" });
    assert.equal(reply.statusCode, 303, path);
    assert.equal(reply.headers.location, `/gallery/sign-in?back=${encodeURIComponent(path)}`);
  }
  const reply = await post("/gallery/form", FINE, { cookie: "" });
  assert.equal(reply.statusCode, 401);
  assert.match(reply.body, /Sign in first/);
  assert.equal(ran.length, before);
});

test("the cookie of plain http, or one of two, is no session", async () => {
  for (const cookie of [`scrip=${GALLERY_COOKIE}`, `${COOKIE}; __Host-scrip=other`])
    assert.equal((await get("/gallery", { cookie })).statusCode, 303);
});

test("what is hidden and what is missing look the same", async () => {
  const [hidden, missing] = [await get("/gallery/hidden/ord_1"), await get("/gallery/no-such-page")];
  const plain = (reply: LightMyRequestResponse) =>
    reply.body.replaceAll(/req-\w+|\/gallery\/[\w/-]+|name="_token" value="[\w-]+"/g, "");
  assert.deepEqual([hidden.statusCode, missing.statusCode], [404, 404]);
  assert.equal(plain(hidden), plain(missing));
});

test("a change from elsewhere, or without the session's token, is refused and runs nothing", async () => {
  const before = ran.length;
  const elsewhere = [
    { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    { origin: "https://sub.api.scrip.example", "sec-fetch-site": "same-site" },
    { origin: "null" },
  ];
  for (const headers of elsewhere) assert.equal((await post("/gallery/form", FINE, headers)).statusCode, 403);
  const neither = await app.inject({
    method: "POST",
    url: "/gallery/form",
    headers: { cookie: COOKIE, "content-type": "application/x-www-form-urlencoded" },
    payload: `${FINE}&_token=${maskToken(GALLERY_TOKEN)}`,
  });
  assert.equal(neither.statusCode, 403);
  for (const token of ["", "wrong"])
    assert.equal((await post("/gallery/form", FINE, {}, token)).statusCode, 403, token);
  assert.equal(ran.length, before);
});

test("a form runs its verb, redirects and says what was done, once and to its session alone", async () => {
  const reply = await post("/gallery/form", FINE);
  assert.deepEqual([reply.statusCode, reply.headers.location], [303, "/gallery/keys"]);
  const [flash = ""] = cookiesOf(reply);
  assert.match(flash, /^scrip-flash=[\w-]+\.[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=60$/);
  const sent = flash.split(";")[0] ?? "";
  const next = await get("/gallery/keys", { cookie: `${COOKIE}; ${sent}` });
  assert.match(next.body, /<p class="flash good">Key shop was created\.<\/p>/);
  assert.ok(
    cookiesOf(next).some((cookie) => cookie.startsWith("scrip-flash=;") && cookie.includes("Max-Age=0")),
  );
  const forged = await get("/gallery/keys", {
    cookie: `${COOKIE}; scrip-flash=WyJnb29kIiwieCJd.AAAAAAAAAAAAAAAAAAAAAA`,
  });
  assert.equal(forged.body.includes('class="flash'), false);
});

test("a refused form comes back with what was typed and the error at its field", async () => {
  const typed = await post(
    "/gallery/form",
    "name=%3Cscript%3E&environment=test&ends=now&scopes=orders:write",
  );
  assert.equal(typed.statusCode, 422);
  assert.match(typed.body, /value="&lt;script&gt;"/);
  assert.match(typed.body, /Password is required/);
  const taken = await post("/gallery/form", FINE.replace("shop", "taken"));
  assert.equal(taken.statusCode, 422);
  assert.match(taken.body, /id="form-name-error">Another key has this name\./);
  const conflict = await post("/gallery/form", FINE.replace("shop", "conflict"));
  assert.equal(conflict.statusCode, 409);
  assert.match(conflict.body, /There are 16 of them already\./);
});

test("what is shown once is the answer to the form itself", async () => {
  const reply = await post("/gallery/form", FINE.replace("shop", "once"));
  assert.equal(reply.statusCode, 200);
  assert.match(reply.body, /This is the only time it is shown/);
});

test("a field that is left is judged without running the verb, and no other field is", async () => {
  const before = ran.length;
  const reply = await post(
    "/gallery/form",
    `name=&${FINE.replace("name=shop&", "").replace("agreed=yes", "")}`,
    { "x-up-validate": "name" },
  );
  assert.equal(reply.statusCode, 422);
  assert.match(reply.body, /id="form-name-error"/);
  assert.equal(reply.body.includes('id="form-agreed-error"'), false);
  assert.equal((await post("/gallery/form", FINE, { "x-up-validate": "name" })).statusCode, 422);
  assert.equal(ran.length, before);
});

test("signing out takes the cookie away", async () => {
  const reply = await post("/gallery/sign-out", "");
  assert.deepEqual(cookiesOf(reply), ["__Host-scrip=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0"]);
});

test("the same form sent twice is accepted once", async () => {
  const before = ran.length;
  const fields = `_form=${newFormId()}`;
  assert.equal((await post("/gallery/bulk", fields)).statusCode, 303);
  const again = await post("/gallery/bulk", fields);
  assert.equal(again.statusCode, 409);
  assert.match(again.body, /is not run twice/);
  assert.equal((await post("/gallery/bulk", "_form=short")).statusCode, 409);
  assert.equal(ran.length, before + 1);
});

test("a file, JSON, a large or a broken body is a page that says what to do", async () => {
  const send = (type: string, payload: string) =>
    app.inject({
      method: "POST",
      url: "/gallery/form",
      headers: { cookie: COOKIE, "content-type": type, ...SAME_ORIGIN },
      payload,
    });
  const file = await send(
    "multipart/form-data; boundary=x",
    '--x\r\nContent-Disposition: form-data; name="name"; filename="a"\r\n\r\nx\r\n--x--\r\n',
  );
  assert.equal(file.statusCode, 415);
  assert.match(file.body, /This form takes text, not files/);
  assert.equal((await send("application/json", "{}")).statusCode, 415);
  assert.equal((await send("application/x-www-form-urlencoded", `a=${"x".repeat(70_000)}`)).statusCode, 413);
  assert.equal((await send("application/x-www-form-urlencoded", "a=%ff")).statusCode, 400);
});

test("while the database is away a page says so with 503", async () => {
  isAway = true;
  const replies = [
    await get("/gallery"),
    await get("/gallery/sign-in", {}),
    await post("/gallery/form", FINE),
  ];
  isAway = false;
  for (const { statusCode, body } of replies) {
    assert.equal(statusCode, 503);
    assert.match(body, /Nothing was changed\. Try again/);
  }
});

test("the theme is a cookie, written into the page, and leads back to a page of ours alone", async () => {
  const choose = (fields: string) => post("/gallery/theme", fields, {}, "");
  const reply = await choose("theme=dark&back=/gallery/keys?env=test");
  assert.deepEqual([reply.statusCode, reply.headers.location], [303, "/gallery/keys?env=test"]);
  assert.match(cookiesOf(reply)[0] ?? "", /^scrip-theme=dark; /);
  for (const back of ["//evil.example", "https://evil.example", "/\\evil.example"])
    assert.equal((await choose(`theme=dark&back=${encodeURIComponent(back)}`)).headers.location, "/gallery");
  assert.equal((await choose("theme=pink")).statusCode, 400);
  const dark = await get("/gallery/sign-in", { cookie: "scrip-theme=dark" });
  assert.match(dark.body, /<html lang="en" data-theme="dark"/);
  assert.match(
    (await get("/gallery/sign-in", { cookie: "scrip-theme=x" })).body,
    /<html lang="en" data-frame/,
  );
});

test("a CSV is a file, and no cell of it is a formula", async () => {
  const { headers, body } = await get("/gallery/orders.csv");
  assert.equal(headers["content-type"], "text/csv; charset=utf-8");
  assert.equal(headers["content-disposition"], 'attachment; filename="orders.csv"');
  assert.match(body, /^id,reference\r\nord_\w+,'=invoice-20931\r\n/);
});

test("every page and form is in the list", () => {
  const listed = pages.map(({ method, path, permission, kind }) => `${method} ${path} ${permission} ${kind}`);
  for (const line of [
    "GET /gallery read page",
    "POST /gallery/form write form",
    "GET /gallery/orders.csv read download",
    "POST /gallery/sign-in public form",
    "POST /gallery/theme public form",
  ])
    assert.ok(listed.includes(line), line);
  assert.equal(new Set(listed).size, listed.length);
});
