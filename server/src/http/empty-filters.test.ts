import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { apiRoutes } from "../../testing/app/api-routes.ts";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { operationsOf } from "./openapi/parts.ts";

let scrip: TestApp;
let key: string;
before(async () => {
  scrip = await createTestApp();
  key = (await scrip.addKey((await scrip.addReseller()).id)).key;
});
after(() => scrip.close());

/** The URL of each list, with its filters. */
function lists(): { url: string; filters: string[] }[] {
  const operations = operationsOf(scrip.app.openApi());
  return apiRoutes(scrip.app.openApi())
    .filter(({ method }) => method === "GET")
    .map(({ path, url }) => {
      const parameters = (operations.get(`GET ${path}`)?.parameters ?? []) as { name: string; in: string }[];
      const names = parameters.filter((each) => each.in === "query").map(({ name }) => name);
      return { url, filters: names.filter((name) => name !== "limit" && name !== "cursor") };
    });
}

const refusalOf = async (url: string) => {
  const reply = await scrip.call("GET", url, { key });
  const { code, errors, detail } = reply.json();
  return { status: reply.statusCode, code, pointer: errors?.[0]?.pointer, detail };
};

test("an empty filter returns 400 and names the filter", async () => {
  const filtered = lists().filter(({ filters }) => filters.length > 0);
  assert.ok(filtered.length >= 4, `${filtered.length} lists`);
  for (const { url, filters } of filtered) {
    for (const name of filters) {
      for (const query of [`${name}=`, name, `limit=1&${name}=`]) {
        const { detail, ...refusal } = await refusalOf(`${url}?${query}`);
        assert.deepEqual(refusal, { status: 400, code: "invalid_request", pointer: `?${name}` }, query);
        assert.match(detail, new RegExp(`^${name} is empty\\.`));
      }
    }
  }
});

test("broken percent-encoding in any filter of any list returns 400", async () => {
  for (const { url, filters } of lists().filter((list) => list.filters.length > 0)) {
    for (const name of filters) {
      for (const value of ["%zz", "%", "a%2", "%ff", "ok%c3%28"]) {
        const { detail, ...refusal } = await refusalOf(`${url}?${name}=${value}`);
        assert.deepEqual(refusal, { status: 400, code: "invalid_request", pointer: `?${name}` }, value);
        assert.match(detail, /percent-encoded/);
      }
    }
  }
});

test("an encoded percent sign is accepted, and an empty limit or cursor counts as absent", async () => {
  for (const query of [
    "reference=100%25",
    "reference=%25zz",
    "reference=a+b%2B",
    "limit=&cursor=",
    "limit=0",
  ]) {
    assert.equal((await scrip.call("GET", `/v1/orders?${query}`, { key })).statusCode, 200, query);
  }
});
