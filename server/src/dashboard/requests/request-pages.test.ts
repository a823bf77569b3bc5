import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { addLoggedRequest } from "../../../testing/builders/logged-requests.ts";
import {
  addAttempt,
  addDelivery,
  addEndpoint,
  addEvent,
} from "../../../testing/builders/webhook-builders.ts";
import { type DashboardVisitor, signInAs } from "../../../testing/people/dashboard-visitor.ts";
import type { Tenant } from "../../http/caller.ts";
import { GROUPED_MAX, groupErrors } from "../../requests/group-errors.ts";

let scrip: TestApp;
let live: Tenant;
let viewer: DashboardVisitor;
let stranger: DashboardVisitor;
before(async () => {
  scrip = await createTestApp();
  live = { resellerId: (await scrip.addReseller()).id, environment: "live" };
  viewer = await signInAs(scrip, live.resellerId, "viewer");
  stranger = await signInAs(scrip, (await scrip.addReseller()).id, "owner");
});
after(() => scrip.close());

const problem = { code: "insufficient_funds", detail: "<b>Too little</b>", status: 402 };
const refused = {
  method: "POST",
  status: 402,
  errorCode: "insufficient_funds",
  errorBody: JSON.stringify(problem),
};

test("a request without any says what to do, and nobody is sent to sign in", async () => {
  assert.match((await viewer.get("/dashboard/requests?env=test")).body, /No requests yet/);
  assert.match((await viewer.get("/dashboard/events?env=test")).body, /No events yet/);
  for (const url of ["/dashboard/requests", "/dashboard/events"]) {
    const nobody = await scrip.app.inject({ url, headers: { host: "api.scrip.example" } });
    assert.equal(nobody.statusCode, 303);
  }
});

test("requests are filtered by the address, and errors are grouped", async () => {
  const { id: keyId } = await scrip.addKey(live.resellerId);
  const fine = await addLoggedRequest(scrip.db, live, { actor: { kind: "key", id: keyId } });
  const first = await addLoggedRequest(scrip.db, live, refused);
  const second = await addLoggedRequest(scrip.db, live, refused);
  const shown = async (query: string): Promise<string[]> => {
    const { body } = await viewer.get(`/dashboard/requests?${query}`);
    return [fine, first, second].filter((id) => body.includes(`/dashboard/requests/${id}`));
  };
  assert.deepEqual(await shown(""), [fine, first, second]);
  assert.deepEqual(await shown("status=4xx&errorCode=&keyId=&from=&to=&id="), [first, second]);
  assert.deepEqual(await shown("errorCode=insufficient_funds"), [first, second]);
  assert.deepEqual(await shown(`keyId=${keyId}`), [fine]);
  assert.deepEqual(await shown(`id=${first}`), [first]);
  assert.deepEqual(await shown("from=2020-01-01&to=2020-01-31"), []);
  assert.deepEqual(await shown("env=test"), []);
  assert.match((await viewer.get("/dashboard/requests")).body, /2 of the last 3 requests failed/);
  const { groups } = await groupErrors(scrip.db, live, new Date());
  assert.deepEqual(
    groups.map(({ errorCode, status, method, count, lastId }) => [errorCode, status, method, count, lastId]),
    [["insufficient_funds", 402, "POST", 2, second]],
  );
  assert.ok(GROUPED_MAX <= 2_000);
});

test("a request has a page with its error as text, for its own reseller and environment", async () => {
  const id = await addLoggedRequest(scrip.db, live, refused);
  const page = await viewer.get(`/dashboard/requests/${id}`);
  assert.equal(page.statusCode, 200);
  assert.match(page.body, /insufficient_funds/);
  assert.ok(!page.body.includes("<b>Too little"));
  assert.ok(page.body.includes("Too little"));
  const elsewhere = [
    `/dashboard/requests/${id}?env=test`,
    "/dashboard/requests/%00",
    "/dashboard/requests/none",
  ];
  for (const url of elsewhere) assert.equal((await viewer.get(url)).statusCode, 404, url);
  assert.equal((await stranger.get(`/dashboard/requests/${id}`)).statusCode, 404);
  assert.match((await stranger.get(`/dashboard/requests?id=${id}`)).body, /No request with this id/);
});

test("the feed shows each event with its deliveries", async () => {
  const endpointId = await addEndpoint(scrip.db, live);
  const eventId = await addEvent(scrip.db, live);
  const quiet = await addEvent(scrip.db, { ...live, type: "order.refunded" });
  const deliveryId = await addDelivery(scrip.db, { eventId, endpointId, status: "failed" });
  await addAttempt(scrip.db, deliveryId, { number: 1, at: new Date(), error: "timeout" });
  const feed = (await viewer.get("/dashboard/events")).body;
  for (const part of [eventId, quiet, `/dashboard/deliveries/${deliveryId}`, "no endpoint"])
    assert.ok(feed.includes(part), part);
  assert.ok(!(await viewer.get("/dashboard/events?type=order.refunded")).body.includes(eventId));
  const page = (await viewer.get(`/dashboard/events/${eventId}`)).body;
  assert.ok(page.includes(`/dashboard/deliveries/${deliveryId}`));
  assert.match((await viewer.get(`/dashboard/events/${quiet}`)).body, /Sent to no endpoint/);
  for (const visit of [stranger, viewer])
    assert.equal((await visit.get(`/dashboard/events/${eventId}?env=test`)).statusCode, 404);
  assert.equal((await stranger.get(`/dashboard/events/${eventId}`)).statusCode, 404);
  assert.ok(!(await stranger.get("/dashboard/events")).body.includes(eventId));
});
