import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { addGallery, GALLERY_COOKIE, GALLERY_TOKEN } from "../../../testing/gallery/serve-gallery.ts";
import { maskToken } from "../security/form-token.ts";

const ORIGIN = "https://api.scrip.example";
let scrip: TestApp;
before(async () => {
  scrip = await createTestApp({ addRoutes: (app) => void addGallery(app, { publicUrl: ORIGIN }) });
});
after(() => scrip?.close());

const COOKIE = `__Host-scrip=${GALLERY_COOKIE}`;
const send = (type: string, payload: string) =>
  scrip.app.inject({
    method: "POST",
    url: "/gallery/form",
    headers: { cookie: COOKIE, origin: ORIGIN, "content-type": type },
    payload,
  });

test("a face beside the API has pages for its errors, and the API keeps problem+json", async () => {
  const page = await scrip.app.inject({ url: "/gallery", headers: { cookie: COOKIE } });
  assert.deepEqual([page.statusCode, page.headers["content-type"]], [200, "text/html; charset=utf-8"]);
  assert.match(String(page.headers["x-request-id"]), /^req_/);
  const missing = await scrip.app.inject({ url: "/gallery/nope", headers: { cookie: COOKIE } });
  assert.deepEqual([missing.statusCode, missing.headers["content-type"]], [404, "text/html; charset=utf-8"]);
  assert.match(missing.body, new RegExp(String(missing.headers["x-request-id"])));
  for (const url of ["/v1/nope", "/galleryx"]) {
    const { statusCode, headers } = await scrip.app.inject(url);
    assert.deepEqual([statusCode, headers["content-type"]], [404, "application/problem+json; charset=utf-8"]);
  }
});

test("a face reads forms and no JSON, the API JSON and no forms", async () => {
  const form = await send("application/x-www-form-urlencoded", `name=&_token=${maskToken(GALLERY_TOKEN)}`);
  assert.equal(form.statusCode, 422);
  assert.equal((await send("application/json", "{}")).statusCode, 415);
  const upload = await send("multipart/form-data; boundary=x", "--x--");
  assert.deepEqual([upload.statusCode, upload.headers["content-type"]], [415, "text/html; charset=utf-8"]);
  const { id } = await scrip.addReseller();
  const { key } = await scrip.addKey(id);
  const order = await scrip.app.inject({
    method: "POST",
    url: "/v1/orders",
    headers: {
      "x-api-key": key,
      "idempotency-key": "a",
      "content-type": "application/x-www-form-urlencoded",
    },
    payload: "a=1",
  });
  assert.equal(order.statusCode, 415);
});

test("no page is in the API reference", () => {
  const paths = Object.keys(scrip.app.openApi().paths ?? {});
  assert.ok(paths.includes("/v1/orders"));
  assert.deepEqual(
    paths.filter((path) => !path.startsWith("/v1/")),
    [],
  );
});
