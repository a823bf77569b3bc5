import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { checkPage, type View } from "../../../testing/browser/check-page.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser/open-browser.ts";
import { addLoggedRequest } from "../../../testing/builders/logged-requests.ts";
import { addAttempt, addDelivery, addEvent } from "../../../testing/builders/webhook-builders.ts";
import { openWebhookDesk, type WebhookDesk } from "../../../testing/builders/webhook-desk.ts";
import { signInAs } from "../../../testing/people/dashboard-visitor.ts";

let desk: WebhookDesk;
let chromium: TestBrowser;
let address: string;
before(async () => {
  [desk, chromium] = await Promise.all([openWebhookDesk({}, { url: "http://127.0.0.1" }), openBrowser()]);
  address = await desk.scrip.app.listen({ host: "127.0.0.1", port: 0 });
});
after(async () => {
  await chromium?.close();
  await desk?.scrip.close();
});

const WIDE: View = { theme: "light", width: 1280 };
const NARROW: View = { theme: "dark", width: 390 };
const LONG = "<img src=x onerror=alert(1)>".concat("long".repeat(60));

test("webhooks, requests and events are sound, narrow and wide, light and dark", async () => {
  const { scrip, live } = desk;
  const owner = await signInAs(scrip, live.resellerId, "owner");
  const { webhook } = await desk.register({ url: `https://hooks.example.com/${"path".repeat(40)}` });
  const eventId = await addEvent(scrip.db, live);
  const deliveryId = await addDelivery(scrip.db, { eventId, endpointId: webhook.id, status: "failed" });
  await addAttempt(scrip.db, deliveryId, { number: 1, at: desk.clock.now(), error: "timeout" });
  await addAttempt(scrip.db, deliveryId, { number: 2, at: desk.clock.now(), status: 503, body: LONG });
  const errorBody = JSON.stringify({ code: "not_found", detail: LONG });
  const request = { status: 404, errorCode: "not_found", errorBody, path: `/v1/orders/${"x".repeat(200)}` };
  const requestId = await addLoggedRequest(scrip.db, live, request);
  const pages: readonly [path: string, view: View][] = [
    ["/webhooks", WIDE],
    [`/webhooks/${webhook.id}`, NARROW],
    [`/deliveries/${deliveryId}`, NARROW],
    ["/requests", NARROW],
    [`/requests/${requestId}`, WIDE],
    ["/events", WIDE],
  ];
  for (const [path, view] of pages) {
    const cookie = { name: "scrip", value: owner.cookie };
    const url = `${address}/dashboard${path}`;
    assert.deepEqual(await checkPage(chromium.browser, { url, cookie, views: [view] }), [], path);
  }
});
