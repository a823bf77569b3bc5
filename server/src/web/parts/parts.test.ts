import assert from "node:assert/strict";
import { test } from "node:test";
import { type Html, html, renderHtml } from "../template/html.ts";
import { chip, httpChip, toneOf } from "./chip.ts";
import { confirm } from "./confirm.ts";
import { idText, secretOnce, shortId } from "./copy.ts";
import { filterBar } from "./filter-bar.ts";
import { countText, moneyText } from "./money.ts";
import { pager } from "./navigation.ts";
import { panel } from "./panel.ts";
import { exactTime, relativeTime, time } from "./time.ts";
import { timeline } from "./timeline.ts";

const show = (part: Html): string => renderHtml(part);
const NOW = new Date("2026-11-15T12:00:00.000Z");
const before = (seconds: number): Date => new Date(NOW.getTime() - seconds * 1_000);

test("money has its thousands apart, the currency's decimals and its currency", () => {
  assert.equal(moneyText(123_450n, "USD"), "1,234.50 USD");
  assert.equal(moneyText(-1_234_567n, "JPY"), "-1,234,567 JPY");
  assert.equal(moneyText(1n, "KWD"), "0.001 KWD");
  assert.equal(moneyText(99_999n, "USD"), "999.99 USD");
  assert.equal(moneyText(9_007_199_254_740_991n, "USD"), "90,071,992,547,409.91 USD");
  assert.equal(countText(5_166), "5,166");
  assert.equal(countText(-1_000n), "-1,000");
});

test("a time is relative, with the exact time in UTC beside it", () => {
  const cases: readonly (readonly [number, string])[] = [
    [0, "just now"],
    [-2, "just now"],
    [42, "42 s ago"],
    [720, "12 min ago"],
    [3 * 3_600, "3 h ago"],
    [47 * 3_600, "47 h ago"],
    [5 * 86_400, "5 days ago"],
    [-5 * 3_600, "in 5 h"],
    [60 * 86_400, "16 Sep"],
    [400 * 86_400, "11 Oct 2025"],
  ];
  for (const [seconds, text] of cases) assert.equal(relativeTime(before(seconds), NOW), text);
  assert.equal(exactTime(NOW), "15 Nov 2026, 12:00:00 UTC");
  assert.match(
    show(time(before(60), NOW)),
    /datetime="2026-11-15T11:59:00.000Z" tabindex="0" title="15 Nov 2026, 11:59:00 UTC">1 min ago</,
  );
});

test("a status has the tone of its word, and an unknown or hostile word is quiet", () => {
  assert.equal(toneOf("completed"), "good");
  for (const word of ["no_such_status", "constructor", "__proto__", "toString"])
    assert.equal(toneOf(word), "quiet");
  assert.equal(show(chip("failed")), '<span class="chip bad">failed</span>');
  assert.deepEqual(
    [200, 301, 404, 503].map((status) => /chip (\w+)/.exec(show(httpChip(status)))?.[1]),
    ["good", "quiet", "warn", "bad"],
  );
});

test("a short id still copies whole", () => {
  const id = "ord_01m7fght45e00a4dvyq8ranmyv";
  assert.equal(shortId(id), "ord_01m7fg…nmyv");
  assert.equal(shortId("whk_short"), "whk_short");
  const markup = show(idText(id, { short: true, href: `/orders/${id}` }));
  assert.ok(markup.includes(`data-copy="${id}"`) && markup.includes(`href="/orders/${id}"`));
});

test("a secret is shown with a button that copies exactly it", () => {
  assert.ok(show(secretOnce("Key", ['a"b'])).includes('data-copy="a&quot;b"'));
});

test("a page of a list has the cursor beside its filters", () => {
  const markup = show(pager({ path: "/orders?status=failed", next: "abc" }));
  assert.ok(markup.includes('href="/orders?status=failed&amp;cursor=abc"'));
  assert.equal(markup.includes('rel="prev"'), false);
});

test("filters keep the environment, show what is chosen and can be cleared", () => {
  const filter = (value: string) =>
    show(
      filterBar({
        action: "/orders",
        keep: { env: "test" },
        filters: [
          { kind: "select", name: "status", label: "Status", value, options: [["failed", "failed"]] },
        ],
      }),
    );
  assert.ok(filter("failed").includes('<option value="failed" selected>'));
  assert.ok(filter("failed").includes('href="/orders?env=test"'));
  assert.ok(filter("").includes('name="env" value="test"'));
  assert.equal(filter("").includes("Clear"), false);
});

test("a decision says its consequences before its button", () => {
  const markup = show(
    confirm({
      title: "Revoke checkout?",
      consequences: [["Requests with it", "are refused at once"]],
      hidden: html`<input type="hidden" name="_token" value="t">`,
      action: "/keys/1/revoke",
      verb: "Revoke",
      cancelHref: "/keys",
    }),
  );
  assert.ok(markup.indexOf("are refused at once") < markup.indexOf(">Revoke</button>"));
});

test("a timeline names each day once, and a live panel needs an id", () => {
  const entry = (at: string) => ({ at: new Date(at), title: "x" });
  const markup = show(
    timeline([
      entry("2026-11-14T23:59:59.001Z"),
      entry("2026-11-15T00:00:00Z"),
      entry("2026-11-15T00:00:01Z"),
    ]),
  );
  assert.equal(markup.match(/class="day"/g)?.length, 2);
  assert.ok(markup.includes("23:59:59.001"));
  assert.throws(() => panel({ live: true }, "x"), /needs an id/);
});
