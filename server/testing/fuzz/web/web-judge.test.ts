import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGE_HEADERS } from "../../../src/web/security/page-headers.ts";
import { judgeHeap } from "../heap-watch.ts";
import type { RawReply } from "../raw-http.ts";
import { createWebJudge, judgeRole } from "./web-judge.ts";
import { NOBODYS_ID } from "./web-memory.ts";
import type { WebFace } from "./web-people.ts";
import type { WebRequest } from "./web-sources.ts";

const ORDER = `ord_${"1".repeat(26)}`;
const page = (changes: Partial<RawReply> = {}): RawReply => ({
  status: 200,
  headers: { ...PAGE_HEADERS, "content-type": "text/html; charset=utf-8" },
  head: "",
  body: "<html>a page</html>",
  ...changes,
});
const shows = (text: string): RawReply => page({ body: `<html>${text}</html>` });

function request(team: string, changes: Partial<WebRequest> = {}, face: WebFace = "dashboard"): WebRequest {
  const route = {
    key: `${face} GET /dashboard/orders`,
    face,
    method: "GET",
    path: "",
    roles: "all",
  } as const;
  return {
    ...{ faults: [], method: "GET", target: "/dashboard/orders", headers: [], body: undefined },
    ...{ framing: "length", cut: false, fields: [], mustRefuse: false, isWhole: true, typed: [] },
    route: { ...route, pattern: /x/ },
    person: { face, role: "owner", team, accountId: "", cookie: "", token: "" },
    ...changes,
  };
}

test("the judge of pages accepts a good one and notices each broken promise", () => {
  const { judge } = createWebJudge(["ann", "bob"]);
  judge(request("ann"), shows(`order ${ORDER} of owner@ann.example`));
  const without = (name: string) => page({ headers: { ...page().headers, [name]: "" } });
  const to = (location: string) => page({ status: 303, headers: { ...PAGE_HEADERS, location } });
  for (const [what, broken, wrong] of [
    ["an error of ours", request("ann"), page({ status: 500 })],
    ["an object of another reseller", request("bob"), shows(ORDER)],
    ["a person of another reseller", request("bob"), shows("owner@ann.example")],
    ["the name of a supplier", request("ann"), shows("Planted Supplier")],
    ["the id of a supplier", request("ann"), shows(`sup_${"0".repeat(26)}`)],
    ["a cost", request("ann"), shows("USD 1,337.13")],
    ["a code", request("ann"), shows("LIVECODE-card-1-end")],
    ["markup", request("ann"), shows('<img src=x onerror="alert(1)">')],
    ["a form without a token", request("ann", { mustRefuse: true }), to("/dashboard/keys")],
    ["another site", request("ann"), to("//evil.example")],
    ["a page that may be kept", request("ann"), without("cache-control")],
    ["a page without its policy", request("ann"), without("content-security-policy")],
    ["half a page", request("ann"), page({ body: "<html>" })],
    [
      "a refusal that is no page",
      request("ann"),
      page({ status: 422, headers: { ...PAGE_HEADERS, "content-type": "application/json" } }),
    ],
  ] as const)
    assert.throws(() => judge(broken, wrong), assert.AssertionError, what);
  for (const team of ["ann", "bob"]) judge(request(team), shows(NOBODYS_ID));
  const csv = { ...page().headers, "content-type": "text/csv; charset=utf-8" };
  const asFile = { ...csv, "content-disposition": 'attachment; filename="activity.csv"' };
  const typed = '"<img src=x onerror=alert(1)>"';
  judge(request("ann"), page({ headers: asFile, body: typed }));
  assert.throws(() => judge(request("ann"), page({ headers: csv, body: typed })), assert.AssertionError);
  // What someone typed may come back to them, and staff may know suppliers.
  judge(request("bob", { typed: [ORDER] }), shows(ORDER));
  judge(request("staff", {}, "console"), shows("Planted Supplier"));
});

test("a heap is flat if it stops growing after the first third", () => {
  assert.equal(judgeHeap([40, 48, 50, 50, 50, 51, 50, 52, 51]).isFlat, true);
  assert.deepEqual(judgeHeap([40, 42, 44, 46, 48, 50, 52, 54, 56]), {
    samplesMb: [40, 42, 44, 46, 48, 50, 52, 54, 56],
    grownMb: 6,
    isFlat: true,
  });
  assert.equal(judgeHeap([40, 43, 46, 49, 52, 55, 58, 61, 64]).isFlat, false);
});

test("a role that may not is not served, unless its account could before or after", () => {
  const asked = request("ann");
  const support = { ...asked, person: { ...asked.person, role: "support" as const } };
  const rotate = { ...support, route: { ...asked.route, roles: ["owner", "developer"] as const } };
  assert.throws(() => judgeRole(rotate, 200, ["support", "support"]), /support was served with 200/);
  assert.throws(() => judgeRole(rotate, 200, ["support", undefined]), /support was served with 200/);
  judgeRole(rotate, 200, ["developer", undefined]);
  judgeRole(rotate, 200, ["support", "owner"]);
  judgeRole(rotate, 403, ["support", "support"]);
  judgeRole(support, 200, ["support", "support"]);
});
