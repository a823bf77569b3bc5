import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { INPUT_VALUE_MAX_CHARACTERS } from "../catalog/input-values.ts";
import { EVENT_TYPES } from "../events/event-types.ts";
import { SCOPES } from "../http/caller.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../http/page.ts";
import { problemCodes, problemTable } from "../lib/problem-table.ts";
import { IDEMPOTENCY_KEY_MAX_CHARACTERS } from "../orders/idempotency-key.ts";
import { LINES_MAX, REFERENCE_MAX_CHARACTERS } from "../orders/schemas.ts";
import { ORDER_STATUSES } from "../orders/status.ts";
import { SCENARIO_NAMES } from "../sandbox/scenarios.ts";
import { FAILURE_CODES } from "../suppliers/supplier.ts";
import { type GUIDE_NAMES, GUIDES_FOLDER } from "../web/docs/read-guides.ts";
import { RETRY_PAUSES_MS } from "../webhooks/delivery/retry-schedule.ts";
import { ENDPOINTS_MAX } from "../webhooks/endpoints/register-endpoint.ts";
import { DELIVERY_STATUSES } from "../webhooks/history/history-queries.ts";

/** The tables of the guides are not run, so they are held to the code here. */
test("the guide to errors says for every code whether to retry, under its status", async () => {
  const rows = (await rowsOf("errors")).filter(([status = ""]) => /^\d/.test(status));
  const told = rows.flatMap(([statuses = "", codes = ""]) =>
    namesIn(codes).map((code) => ({ code, statuses: statuses.split(", ").map(Number) })),
  );
  assert.deepEqual(told.map(({ code }) => code).sort(), [...problemCodes].sort());
  for (const { code, statuses } of told) {
    const { status } = problemTable[code as keyof typeof problemTable];
    assert.ok(statuses.includes(status), `${code} is ${status} and not ${statuses}`);
  }
});

test("the guide to the sandbox has every scenario in a table, once", async () => {
  const firstCells = (await rowsOf("sandbox")).flatMap(([first = ""]) => namesIn(first));
  const told = firstCells.filter((name) => (SCENARIO_NAMES as string[]).includes(name));
  assert.deepEqual(told.sort(), [...SCENARIO_NAMES].sort());
});

test("the guide to orders has every status, every failure code and the limits as they are", async () => {
  const rows = await rowsOf("orders");
  const firstCells = rows.flatMap(([first = ""]) => namesIn(first));
  for (const name of [...ORDER_STATUSES, ...FAILURE_CODES]) {
    assert.equal(firstCells.filter((told) => told === name).length, 1, name);
  }
  const limits = Object.fromEntries(rows.map(([name = "", limit = ""]) => [name, limit]));
  const told: [name: string, limit: number][] = [
    ["Lines of an order", LINES_MAX],
    ["`reference`", REFERENCE_MAX_CHARACTERS],
    ["`Idempotency-Key`", IDEMPOTENCY_KEY_MAX_CHARACTERS],
    ["An input value", INPUT_VALUE_MAX_CHARACTERS],
    ["Page of a list", PAGE_LIMIT_MAX],
  ];
  for (const [name, limit] of told) assert.match(limits[name] ?? "", new RegExp(`^${limit}\\b`), name);
  assert.match(limits["Page of a list"] ?? "", new RegExp(`\\b${PAGE_LIMIT_DEFAULT} when`));
});

test("the guide to webhooks has every event type, every status of a delivery and the schedule of retries", async () => {
  const rows = await rowsOf("webhooks");
  const firstCells = new Set(rows.flatMap(([first = ""]) => namesIn(first)));
  for (const type of EVENT_TYPES) assert.ok(firstCells.has(type), type);
  const [, ...pauses] = rows.find(([first]) => first === "Pause before it")?.slice(1) ?? [];
  assert.deepEqual(pauses.map(toMs), RETRY_PAUSES_MS);
  const text = await read("webhooks");
  for (const status of DELIVERY_STATUSES) assert.ok(text.includes(`\`${status}\``), status);
  assert.ok(text.includes(`You may have ${ENDPOINTS_MAX} endpoints`));
});

test("the guide to going live has every scope", async () => {
  const firstCells = (await rowsOf("going-live")).flatMap(([first = ""]) => namesIn(first));
  assert.deepEqual(firstCells.sort(), [...SCOPES].sort());
});

const read = (name: (typeof GUIDE_NAMES)[number]): Promise<string> =>
  readFile(new URL(`${name}.md`, GUIDES_FOLDER), "utf8");

/** The cells of every row of every table. */
const rowsOf = async (name: (typeof GUIDE_NAMES)[number]): Promise<string[][]> =>
  [...(await read(name)).matchAll(/^\| (.*) \|$/gm)].map(([, row = ""]) => row.split(" | "));

const namesIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, min: 60_000, h: 3_600_000 };

function toMs(pause: string): number {
  const [count = "", unit = ""] = pause.split(" ");
  return Number(count) * (UNITS_MS[unit] ?? Number.NaN);
}
