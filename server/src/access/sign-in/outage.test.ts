import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openDashboardDesk } from "../../../testing/people/dashboard-desk.ts";
import { newCookie } from "../../accounts/sessions/session-id.ts";
import type { Db } from "../../db/database.ts";

const INSIDE = "connect ECONNREFUSED 10.0.0.5:5432";
const refuse = async (): Promise<never> => {
  throw Object.assign(new Error(INSIDE), { code: "ECONNREFUSED" });
};
const away: Db = {
  rows: refuse,
  transaction: refuse,
  shortTransaction: refuse,
  wholeTransaction: refuse,
  listen: () => ({ close: async () => {} }),
  close: async () => {},
};
const desk = await openDashboardDesk({ connect: async () => away });
after(desk.close);

test("while the database is away the sign-in page is there, and its form says so with 503", async () => {
  const nobody = { cookie: "" };
  assert.equal((await desk.get(nobody, "/dashboard/sign-in")).statusCode, 200);
  const form = await desk.post(nobody, "/dashboard/sign-in", {
    email: "a@b.example",
    password: "some long password",
  });
  const page = await desk.get({ cookie: newCookie() }, "/dashboard/team");
  for (const reply of [form, page]) {
    assert.equal(reply.statusCode, 503);
    assert.equal(reply.headers["retry-after"], "5");
    assert.match(reply.body, /We cannot reach our database/);
    assert.doesNotMatch(reply.body, /10\.0\.0\.5|ECONNREFUSED|some long password/);
  }
});
