import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openDashboardDesk } from "../../../testing/people/dashboard-desk.ts";
import { locationOf } from "../../../testing/people/dashboard-visitor.ts";
import { listActivity } from "../../activity/list-activity.ts";
import { listChosenAddresses } from "../../mail/notice-addresses.ts";
import { getReseller } from "../../resellers/get-reseller.ts";

const desk = await openDashboardDesk();
const { get, post, db } = desk;
after(desk.close);
const { id: resellerId } = await desk.addReseller();
const owner = await desk.join(resellerId, "owner");
const SETTINGS = "/dashboard/settings";

test("an owner changes where notifications go, and the log says so", async () => {
  const reply = await post(owner, SETTINGS, { email: "alerts@corner.example" });
  assert.deepEqual([reply.statusCode, locationOf(reply)], [303, SETTINGS]);
  assert.equal((await getReseller(db, resellerId)).email, "alerts@corner.example");
  const filter = { action: "reseller.notices_changed" };
  const { data } = await listActivity(db, { kind: "reseller", resellerId }, filter, { limit: 10 });
  assert.deepEqual(
    data.map(({ actor, after }) => [actor.id, after?.email]),
    [[owner.id, "alerts@corner.example"]],
  );
});

test("what is no address stays in the form with an error at its field", async () => {
  for (const email of ["", "nobody", "a@b@c", `${"x".repeat(300)}@corner.example`]) {
    const reply = await post(owner, SETTINGS, { email });
    assert.equal(reply.statusCode, 422, email);
    assert.match(reply.body, /id="form-email-error"/);
  }
  assert.equal((await getReseller(db, resellerId)).email, "alerts@corner.example");
});

test("people who cannot change the settings do not see them in the navigation", async () => {
  const viewer = await desk.join(resellerId, "viewer");
  assert.match((await get(owner, "/dashboard/team")).body, /href="\/dashboard\/settings"/);
  assert.doesNotMatch((await get(viewer, "/dashboard/team")).body, /href="\/dashboard\/settings"/);
});

test("each kind of notice can have addresses of its own, and a wrong one stays at its field", async () => {
  const email = "alerts@corner.example";
  const saved = await post(owner, SETTINGS, {
    email,
    webhook_disabled: "dev@corner.example, ops@corner.example",
  });
  assert.equal(saved.statusCode, 303);
  const page = (await get(owner, SETTINGS)).body;
  assert.match(
    page,
    /<textarea[^>]*name="webhook_disabled"[^>]*>\n?dev@corner\.example\nops@corner\.example</,
  );
  const refused = await post(owner, SETTINGS, { email, wallet_low: "a@b.example\nnobody" });
  assert.equal(refused.statusCode, 422);
  assert.match(refused.body, /id="form-wallet_low-error"/);
  assert.deepEqual(await listChosenAddresses(db, resellerId), {
    webhook_disabled: ["dev@corner.example", "ops@corner.example"],
  });
});
