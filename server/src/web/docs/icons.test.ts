import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser/open-browser.ts";
import { problemCodes } from "../../lib/problem-table.ts";

let scrip: TestApp;
let address: string;
let chromium: TestBrowser;
before(async () => {
  chromium = await openBrowser();
  scrip = await createTestApp();
  address = await scrip.app.listen({ host: "127.0.0.1", port: 0 });
});
after(async () => {
  await chromium?.close();
  await scrip?.close();
});

const ICONS = { "/favicon.ico": "image/x-icon", "/favicon.svg": "image/svg+xml; charset=utf-8" };

test("the icon is public and cacheable, and revalidating it transfers no body", async () => {
  for (const [path, type] of Object.entries(ICONS)) {
    const reply = await scrip.call("GET", path);
    assert.equal(reply.statusCode, 200);
    assert.equal(reply.headers["content-type"], type);
    assert.equal(reply.headers["cache-control"], "public, max-age=2592000");
    const head = await scrip.call("HEAD", path);
    assert.equal(head.headers["content-length"], String(reply.rawPayload.length));
    const again = await scrip.call("GET", path, { headers: { "if-none-match": String(reply.headers.etag) } });
    assert.deepEqual([again.statusCode, again.body], [304, ""]);
  }
});

test("a browser draws both icons in the same colors", async () => {
  const page = await chromium.browser.newPage();
  await page.goto(`${address}/errors`);
  const drawn = await Promise.all(Object.keys(ICONS).map((path) => page.evaluate(drawing(path))));
  const BLUE = [0x0a, 0x66, 0xc2, 255];
  for (const points of drawn)
    assert.deepEqual(points, [BLUE, [255, 255, 255, 255], [0, 0, 0, 0], [0, 0, 0, 0]]);
  await page.close();
});

/** Run in the page: the colors on the ticket, on its tear line, in its notch and next to it. */
const drawing = (path: string): string => `(async () => {
  const image = new Image(32, 32);
  image.src = ${JSON.stringify(path)};
  await image.decode();
  const canvas = new OffscreenCanvas(32, 32).getContext("2d");
  canvas.drawImage(image, 0, 0, 32, 32);
  return [[8, 16], [20, 10], [2, 16], [16, 2]].map(([x, y]) => [...canvas.getImageData(x, y, 1, 1).data]);
})()`;

test("every page links to the icon on this host", async () => {
  for (const path of [
    "/docs/",
    "/docs/guides/",
    "/docs/guides/quickstart",
    "/errors",
    `/errors/${problemCodes[0]}`,
  ]) {
    const { body } = await scrip.call("GET", path);
    const icons = [...body.matchAll(/<link rel="icon" href="([^"]+)"/g)].map(([, href]) => href);
    assert.deepEqual(icons, Object.keys(ICONS), path);
  }
});
