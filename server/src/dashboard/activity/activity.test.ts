import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openDashboardDesk } from "../../../testing/people/dashboard-desk.ts";
import { recordActivity } from "../../activity/record-activity.ts";

const desk = await openDashboardDesk();
const { get, db, clock } = desk;
after(desk.close);
const { id: resellerId } = await desk.addReseller();
const viewer = await desk.join(resellerId, "viewer");
const other = await desk.join((await desk.addReseller()).id, "viewer");

const record = (count: number) =>
  db.transaction(async (tx) => {
    for (let index = 0; index < count; index += 1) {
      clock.advance(1_000);
      await recordActivity(tx, clock, {
        actor: { kind: "staff", id: "stf_hidden" },
        address: "198.51.100.7",
        action: "reseller.noted",
        object: { kind: "reseller", id: resellerId },
        resellerId,
        before: { note: "old" },
        after: { note: "=1+1<script>" },
      });
    }
  });
await record(60);
const timesOf = (body: string): number => body.split("<code>reseller.noted</code>").length - 1;

test("the log is read in pages, newest first, and staff stay unnamed", async () => {
  const first = await get(viewer, "/dashboard/activity?env=test");
  assert.equal(timesOf(first.body), 50);
  assert.match(first.body, /note: old → =1\+1&lt;script&gt;/);
  assert.doesNotMatch(first.body, /stf_hidden|198\.51\.100\.7|<script>=/);
  const next = /rel="next" href="([^"]+)"/.exec(first.body)?.[1]?.replaceAll("&amp;", "&") ?? "";
  assert.match(next, /env=test/);
  assert.equal(timesOf((await get(viewer, next)).body), 10);
});

test("filters narrow the page and its CSV alike, what cannot be read is left out, and a cell is never a formula", async () => {
  const query = `who=${viewer.id}`;
  assert.match((await get(viewer, `/dashboard/activity?${query}`)).body, /person\.joined/);
  assert.equal(timesOf((await get(viewer, `/dashboard/activity?${query}`)).body), 0);
  const csv = await get(viewer, "/dashboard/activity.csv?who=staff&from=2030-01-01&to=2030-01-01");
  assert.match(String(csv.headers["content-disposition"]), /activity\.csv/);
  assert.equal(csv.body.trim().split("\r\n").length, 61);
  assert.doesNotMatch(csv.body, /(^|,)=/m);
  assert.match(
    (await get(viewer, "/dashboard/activity?action=no.such")).body,
    /No entry matches these filters/,
  );
  assert.equal(
    (await get(viewer, "/dashboard/activity?from=x&to=2030-99-99&cursor=%00&who=%00")).statusCode,
    200,
  );
});

test("another reseller's log is not in it", async () => {
  const { body } = await get(other, "/dashboard/activity");
  assert.equal(timesOf(body), 0);
  assert.doesNotMatch((await get(other, "/dashboard/activity.csv")).body, /reseller\.noted/);
});
