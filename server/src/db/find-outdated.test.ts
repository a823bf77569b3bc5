import assert from "node:assert/strict";
import { test } from "node:test";
import { findOutdated } from "./find-outdated.ts";

test("a server older than the newest minor that is known is named, with what to do", () => {
  assert.match(
    findOutdated(170_002) ?? "",
    /^PostgreSQL 17\.2 lacks the fixes of 17\.\d+, the newest on \d{4}-\d\d-\d\d: update the server, .* DATABASE_URL$/,
  );
  for (const major of [15, 16, 17, 18]) assert.ok(findOutdated(major * 10_000), `${major}.0`);
});

test("the newest minor, a newer one and a major version that came later are not outdated", () => {
  for (const major of [15, 16, 17, 18]) {
    const newest = Number(/fixes of \d+\.(\d+)/.exec(findOutdated(major * 10_000) ?? "")?.[1]);
    assert.ok(findOutdated(major * 10_000 + newest - 1), `${major}.${newest - 1}`);
    assert.equal(findOutdated(major * 10_000 + newest), undefined);
    assert.equal(findOutdated(major * 10_000 + newest + 1), undefined);
  }
  assert.equal(findOutdated(190_000), undefined);
});
