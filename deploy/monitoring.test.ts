import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { createAlertMetrics } from "../server/src/alerts/run-alerts.ts";
import { followPrimary } from "../server/src/bin/follow-primary.ts";
import type { ServingDb } from "../server/src/db/database.ts";
import { createFulfilmentMetrics } from "../server/src/fulfilment/fulfilment-metrics.ts";
import { createMetrics } from "../server/src/http/metrics.ts";
import { createLog } from "../server/src/lib/log.ts";
import { countDropped } from "../server/src/requests/open-request-log.ts";
import { createDeliveryMetrics } from "../server/src/webhooks/delivery/metrics.ts";
import { findMissing, runProgram } from "./image/run-program.ts";

type Rule = {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; description: string };
};
type Panel = { title: string; type: string; id: number; targets?: { expr: string; refId: string }[] };

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const RULES = pathOf("prometheus/scrip.rules.yaml");
const RULES_TEST = pathOf("prometheus/scrip.rules.test.yaml");
const rules = (parse(readFileSync(RULES, "utf8")) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
const dashboard = JSON.parse(readFileSync(pathOf("grafana/scrip.json"), "utf8")) as { panels: Panel[] };

/** Metrics of others: Prometheus itself, and kube-state-metrics. */
const FOREIGN = ["up", "kube_job_status_failed"];
/** A name that begins a selector or stands alone: functions are followed by a parenthesis. */
const METRIC = /\b(?:scrip|process|nodejs|kube|up)(?:_[a-z0-9_]+)?\b(?!\s*\()/g;

test("every metric that a rule or a panel names is one that the server has", async () => {
  const known = new Set([...(await listMetrics()), ...FOREIGN]);
  for (const { alert, expr } of rules) {
    const named = expr.replaceAll(/"[^"]*"/g, '""').match(METRIC) ?? [];
    assert.ok(named.length > 0, alert);
    for (const name of named) assert.ok(known.has(name), `${alert}: there is no ${name}`);
  }
  for (const { title, expr } of expressions()) {
    const named = expr.replaceAll(/"[^"]*"/g, '""').match(METRIC) ?? [];
    assert.ok(named.length > 0, title);
    for (const name of named) assert.ok(known.has(name), `${title}: there is no ${name}`);
  }
});

test("every metric of Scrip is on the dashboard", async () => {
  const shown = expressions()
    .map(({ expr }) => expr)
    .join("\n");
  const own = (await listMetrics()).filter((name) => name.startsWith("scrip_"));
  const families = new Set(own.map((name) => name.replace(/_(?:bucket|sum|count)$/, "")));
  assert.deepEqual(
    [...families].sort(),
    namedInSource(),
    "this test knows every metric that the source names",
  );
  for (const family of families) assert.ok(shown.includes(family), `${family} is on no panel`);
});

test("each alert says how urgent it is, what is wrong and what to do", () => {
  assert.ok(rules.length > 10);
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
  for (const { alert, labels, annotations } of rules) {
    assert.match(labels.severity, /^(?:page|ticket)$/, alert);
    assert.ok(annotations.summary.length > 10 && annotations.description.length > 10, alert);
  }
});

test("panels have titles, and ids of their own", () => {
  const ids = dashboard.panels.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const { title, type, targets } of dashboard.panels) {
    assert.ok(title);
    assert.equal(type === "row", targets === undefined, title);
  }
});

test("Prometheus accepts the rules, and they fire when they should", async (t) => {
  if ((await findMissing(["promtool"])).length > 0) {
    t.diagnostic("promtool is not on this machine: only names and structure of the rules were checked");
    return;
  }
  await runProgram("promtool", ["check", "rules", RULES]);
  await runProgram("promtool", ["test", "rules", RULES_TEST]);
  // The dashboard's queries as rules, with Grafana's own variable filled in.
  const folder = await mkdtemp(join(tmpdir(), "scrip-panels-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const recorded = expressions().map(({ expr }, index) => ({
    record: `panel:${index}`,
    expr: expr.replaceAll("$__rate_interval", "5m"),
  }));
  const panels = join(folder, "panels.json");
  await writeFile(panels, JSON.stringify({ groups: [{ name: "panels", rules: recorded }] }));
  await runProgram("promtool", ["check", "rules", panels]);
});

const expressions = (): { title: string; expr: string }[] =>
  dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));

/** The metrics of Scrip that the source names. */
function namedInSource(): string[] {
  const source = fileURLToPath(new URL("../server/src/", import.meta.url));
  const files = globSync("**/*.ts", { cwd: source }).filter((file) => !/\.test\.ts$|^testing\//.test(file));
  const names = files.flatMap((file) =>
    [
      ...readFileSync(join(source, file), "utf8").matchAll(
        /"(scrip(?:_[a-z]+)*(?:_seconds|_total|_due|_unknown|_waiting|_lanes|_failing|_alerts|_ratio|_open))"/g,
      ),
    ].map(([, name = ""]) => name),
  );
  return [...new Set(names)].sort();
}

/** What /metrics of an API process and a worker names, the parts of histograms included. */
async function listMetrics(): Promise<string[]> {
  const { registry, requestLatencies } = createMetrics();
  requestLatencies.forRoute("GET", "/v1/catalog")(200, 1);
  createFulfilmentMetrics(registry).count("completed", 1);
  createDeliveryMetrics(registry);
  createAlertMetrics(registry);
  countDropped(registry);
  const silent = { watchPrimary: async () => {} } as unknown as ServingDb;
  await followPrimary(silent, "api", { registry }, createLog("silent", { write: () => {} }));
  const all = await registry.getMetricsAsJSON();
  return all.flatMap(({ name, type }) =>
    String(type) === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
}
