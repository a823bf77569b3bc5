import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openConsoleDesk } from "../../../testing/people/console-desk.ts";
import { signInAs } from "../../../testing/people/dashboard-visitor.ts";
import { listActivity } from "../../activity/list-activity.ts";

const desk = await openConsoleDesk();
after(desk.close);
const admin = await desk.enter("admin");

test("an admin invites with a role of the staff, and the link is shown once", async () => {
  const reply = await admin.post("/staff", { email: "Kim@scrip.example", name: "Kim <b>", role: "catalog" });
  assert.equal(reply.statusCode, 200);
  assert.match(reply.body, /https:\/\/console\.scrip\.example\/accept\?token=[\w-]{43}/);
  const list = await admin.get("/staff");
  assert.match(list.body, /Kim &lt;b&gt;/);
  assert.match(list.body, /kim@scrip\.example/);
  assert.doesNotMatch(list.body, /accept\?token=/);
  const wrong = await admin.post("/staff", { email: "x@scrip.example", role: "owner" });
  assert.equal(wrong.statusCode, 422);
  const { data } = await listActivity(desk.db, { kind: "staff" }, { action: "person.invited" }, { limit: 1 });
  assert.deepEqual(data[0]?.actor, { kind: "staff", id: admin.accountId });
});

test("a change of people needs fresh proof, and what was typed is kept", async () => {
  const other = await desk.enter("support");
  desk.clock.advance(6 * 60_000);
  const asked = await admin.post(`/staff/${other.accountId}/role`, { role: "viewer" });
  assert.equal(asked.statusCode, 403);
  assert.match(asked.body, /Confirm that it is you/);
  assert.equal((await other.get("/staff")).statusCode, 200);
  const proved = await admin.post("/confirm", { password: "tulip crane lamp", back: "/staff" });
  assert.equal(proved.headers.location, "/staff");
  const changed = await admin.post(`/staff/${other.accountId}/role`, { role: "viewer" });
  assert.equal(changed.headers.location, "/staff");
  assert.match((await other.get("/")).body, /viewer, staff/);
});

test("a reset factor and a removal hold from the person's next request", async () => {
  const [lost, gone] = [await desk.enter("finance"), await desk.enter("finance")];
  const reset = await admin.post(`/staff/${lost.accountId}/reset-factor`);
  assert.equal(reset.headers.location, "/staff");
  assert.match(String((await lost.get("/")).headers.location), /^\/sign-in/);
  await admin.post(`/staff/${gone.accountId}/remove`);
  assert.match(String((await gone.get("/")).headers.location), /^\/sign-in/);
  assert.equal((await admin.get(`/staff/${gone.accountId}`)).statusCode, 404);
});

test("the last admin cannot be removed or demoted, and a user of a reseller is no member of the staff", async () => {
  for (const [form, fields] of [
    ["role", { role: "viewer" }],
    ["remove", {}],
  ] as const) {
    const refused = await admin.post(`/staff/${admin.accountId}/${form}`, fields);
    assert.equal(refused.statusCode, 422, form);
    assert.match(refused.body, /A team needs at least one admin/);
  }
  const { id: resellerId } = await desk.addReseller();
  const { id } = await signInAs(desk, resellerId, "owner");
  assert.equal((await admin.get(`/staff/${id}`)).statusCode, 404);
  assert.equal((await admin.post(`/staff/${id}/remove`)).statusCode, 404);
});
