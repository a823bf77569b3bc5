import { setTimeout as wait } from "node:timers/promises";
import { runScrip } from "../server/testing/processes/run-scrip.ts";
import { ask } from "./ask.ts";
import { startCallers, type Wanted } from "./callers.ts";
import { type PatroniCluster, startCluster } from "./cluster.ts";
import { type FaultRunInput, runFault } from "./fault-run.ts";
import type { ProbeAck } from "./leaders.ts";
import type { HaOptions, Via } from "./options.ts";
import { type Prober, startProber } from "./prober.ts";
import { isSafeWithEtcdV3, type Programs } from "./programs.ts";
import { describeRow } from "./report.ts";
import type { HaResult } from "./result.ts";
import { scripEnvironment, startScripProcesses } from "./scrip-processes.ts";
import { openShop, type Shop } from "./shop.ts";
import { compareOrders, type Findings, readOrders } from "./verify.ts";
import type { Workplace } from "./workplace.ts";

export type HaInput = {
  options: HaOptions;
  programs: Programs;
  workplace: Workplace;
  say: (line: string) => void;
  /** Receives a function that ends the processes of Scrip at once, for an interrupted run. */
  onProcesses: (kill: () => void) => void;
};

type Stage = HaInput & {
  cluster: PatroniCluster;
  prober: Prober;
  shop: Shop;
  result: HaResult;
  wanted: Wanted[];
  known: FaultRunInput["known"];
};

const FIRST_HEALTHY_WITHIN_MS = 120_000;
const ENDED_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 500;
const QUESTION_TIMEOUT_MS = 5_000;

/** A cluster, then for each way to reach it Scrip's processes, load and every fault in turn. */
export async function runHa(input: HaInput): Promise<HaResult> {
  const { options, programs, workplace, say } = input;
  const etcdApi = options.etcdApi ?? (isSafeWithEtcdV3(programs.patroniVersion) ? "v3" : "v2");
  const cluster = await startCluster({ workplace, programs, etcdApi, isAsync: options.isAsync });
  const { leader } = await cluster.untilHealthy(FIRST_HEALTHY_WITHIN_MS);
  say(`three members, etcd (API ${etcdApi}) and HAProxy are up; ${leader.name} leads`);
  const prober = await startProber(cluster, leader);
  const shop = await openShop(cluster, leader);
  const result: HaResult = { rows: [], findings: noFindings(), orders: 0, lostTries: 0, etcdApi };
  const known = { orders: new Set<Wanted>(), rows: new Set<ProbeAck>() };
  const stage = { ...input, cluster, prober, shop, result, wanted: [], known };
  for (const via of options.vias) await runVia(stage, via);
  await prober.stop();
  return result;
}

async function runVia(stage: Stage, via: Via): Promise<void> {
  const { options, cluster, shop, result, wanted, known, workplace, say } = stage;
  // Every second process has the members in a different order.
  const urlOf = (index: number) => (via === "hosts" ? shop.hostsUrl(index) : shop.urlOf(cluster.haproxyPort));
  const processes = await startScripProcesses(urlOf, workplace.folder, via);
  stage.onProcesses(processes.kill);
  say(`Scrip is up, ${via === "hosts" ? "with all members in DATABASE_URL" : "through HAProxy"}`);
  const { seed } = options;
  const callers = startCallers({ apis: processes.apis, buyers: shop.buyers, seed, prefix: via });
  await runFaults(
    { ...stage, ...options, calmMs: options.calmSeconds * 1_000, processes, callers, via },
    result,
  );
  await callers.stop();
  wanted.push(...callers.wanted);
  const unexplained = callers.contradictions.filter(({ order }) => !known.orders.has(order));
  result.findings.contradictions.push(
    ...unexplained.map(({ order, what }) => `${order.idempotencyKey}: ${what}`),
  );
  result.findings["processes that ended unexpectedly"].push(...processes.findEnded());
  result.lostTries += callers.lostTries();
  await verifyEnd(stage, urlOf(0));
  await processes.stop();
}

/** After a fault that does not end, later faults cannot be measured. */
async function runFaults(input: FaultRunInput & Pick<HaOptions, "faults">, result: HaResult): Promise<void> {
  const { via, say } = input;
  for (const fault of input.faults) {
    say(`${via}: ${fault}`);
    try {
      const row = await runFault(input, fault);
      result.rows.push(row);
      say(describeRow(row));
      if (row.isServing) continue;
    } catch (error) {
      result.findings["not finished"].push(
        `${via}: ${fault}: ${error instanceof Error ? error.message : error}`,
      );
    }
    say(`${via}: the faults after ${fault} are skipped`);
    return;
  }
}

async function verifyEnd(
  { cluster, shop, result, wanted, known, workplace, say }: Stage,
  databaseUrl: string,
): Promise<void> {
  const { leader } = await cluster.untilHealthy(FIRST_HEALTHY_WITHIN_MS);
  const url = shop.urlOf(leader.postgresPort);
  say("callers have their responses; waiting until every order has ended");
  if (!(await untilOrdersEnd(url))) result.findings["not finished"].push("some orders did not end");
  const stored = await readOrders(url);
  const compared = compareOrders(stored, wanted, known.orders);
  for (const name of Object.keys(compared) as (keyof typeof compared)[])
    result.findings[name] = compared[name];
  result.orders = stored.length;
  const { code, stdout, stderr } = await runScrip(["audit"], scripEnvironment(databaseUrl, workplace.folder));
  if (code !== 0) result.findings["invariants broken"].push(`${stdout}${stderr}`);
  say(`${stored.length} orders compared, audit exited with ${code}`);
}

/** Orders that a worker had when the database failed are due again when their lease ends. Here it ends at once. */
async function untilOrdersEnd(url: string): Promise<boolean> {
  await ask(url, "update order_work set due_at = now()", QUESTION_TIMEOUT_MS);
  for (const deadlineMs = performance.now() + ENDED_WITHIN_MS; performance.now() < deadlineMs; ) {
    const left = await ask(url, "select from order_work limit 1", QUESTION_TIMEOUT_MS);
    if (left.length === 0) return true;
    await wait(LOOK_EVERY_MS);
  }
  return false;
}

const noFindings = (): Findings => ({
  "orders lost outside of a fault": [],
  "orders duplicated, unexpected or wrong": [],
  "debits missing, duplicated or wrong": [],
  contradictions: [],
  "invariants broken": [],
  "processes that ended unexpectedly": [],
  "not finished": [],
});
