import { setTimeout as wait } from "node:timers/promises";
import type { Callers, Wanted } from "./callers.ts";
import type { PatroniCluster } from "./cluster.ts";
import type { FaultName } from "./fault-names.ts";
import { FAULTS } from "./faults.ts";
import { acceptedForMs, unreadyAfterMs, watchKey } from "./key-watch.ts";
import { findTwoLeaders, leadersInOrder, longestGapMs, type ProbeAck } from "./leaders.ts";
import type { Via } from "./options.ts";
import type { Prober } from "./prober.ts";
import type { ScripProcesses } from "./scrip-processes.ts";
import type { Shop } from "./shop.ts";
import { findLostOrders } from "./verify.ts";

export type FaultRow = {
  via: Via;
  fault: FaultName;
  leaders: readonly string[];
  /** The longest time in which a plain client could not write over the same path: Patroni's part of the outage. */
  plainOutageMs: number;
  /** The longest time without an acknowledged order, at the slowest API process. */
  scripOutageMs: number;
  /** How long after its revocation a key was still accepted; undefined if none was revoked. */
  revokedAcceptedMs: number | undefined;
  unreadyAfterMs: number | undefined;
  acknowledged: number;
  lost: readonly Wanted[];
  /** Acknowledged rows of the prober that are gone: Patroni lost them. */
  probeRowsLost: number;
  hadTwoLeaders: boolean;
  /** Whether every process acknowledges orders again. */
  isServing: boolean;
};

export type FaultRunInput = {
  cluster: PatroniCluster;
  prober: Prober;
  shop: Shop;
  processes: ScripProcesses;
  callers: Callers;
  via: Via;
  isAsync: boolean;
  calmMs: number;
  /** Losses of earlier faults, which do not count for this one. */
  known: { orders: Set<Wanted>; rows: Set<ProbeAck> };
  say: (line: string) => void;
};

const HEALTHY_WITHIN_MS = 120_000;
/** Longer than the limit, so that a key that is accepted for too long is measured. */
const REFUSED_WITHIN_MS = 30_000;
/** Counted from a healthy cluster. */
const SERVING_WITHIN_MS = 60_000;
const SERVE_LOOK_MS = 50;

/** One fault under load, from one healthy cluster to the next. */
export async function runFault(input: FaultRunInput, fault: FaultName): Promise<FaultRow> {
  const { cluster, prober, shop, processes, callers, isAsync, calmMs, say } = input;
  const health = await cluster.untilHealthy(HEALTHY_WITHIN_MS);
  const key = await shop.addKey(health.leader);
  const watch = watchKey(processes.apis, key.key);
  await wait(calmMs);
  const countBefore = countAcks(processes);
  let struckMs = performance.now();
  let revokedMs: number | undefined;
  await FAULTS[fault]({
    cluster,
    health,
    prober,
    isAsync,
    onStruck() {
      struckMs = performance.now();
    },
    async revokeAt(member) {
      say(`${member.name} accepts writes; revoking a key there`);
      await shop.revoke(member, key.id);
      revokedMs = performance.now();
      await watch.untilRefusedByAll(revokedMs, REFUSED_WITHIN_MS);
    },
  });
  await cluster.untilHealthy(HEALTHY_WITHIN_MS);
  const isServing = await untilAllServe(processes);
  await wait(calmMs);
  const endMs = performance.now();
  await watch.stop();
  const acks = prober.acks.filter(({ atMs }) => atMs >= struckMs - calmMs && atMs <= endMs);
  const { leader } = await cluster.untilHealthy(HEALTHY_WITHIN_MS);
  const outageOf = (timesMs: readonly number[]) => longestGapMs(timesMs, struckMs, endMs);
  return {
    via: input.via,
    fault,
    leaders: leadersInOrder(acks),
    plainOutageMs: outageOf(acks.filter(({ via }) => via === input.via).map(({ atMs }) => atMs)),
    scripOutageMs: Math.max(...processes.apis.map(({ acksMs }) => outageOf(acksMs))),
    revokedAcceptedMs: revokedMs === undefined ? undefined : acceptedForMs(watch.samples, revokedMs),
    unreadyAfterMs: unreadyAfterMs(watch.samples, struckMs),
    acknowledged: countAcks(processes) - countBefore,
    lost: remember(input.known.orders, await findLostOrders(shop.urlOf(leader.postgresPort), callers.wanted)),
    probeRowsLost: remember(input.known.rows, await prober.findLost(leader)).length,
    hadTwoLeaders: findTwoLeaders(acks) !== undefined,
    isServing,
  };
}

const countAcks = ({ apis }: ScripProcesses): number =>
  apis.reduce((sum, { acksMs }) => sum + acksMs.length, 0);

/** The new ones, which count as known from now on. */
function remember<Item>(known: Set<Item>, found: readonly Item[]): Item[] {
  const fresh = found.filter((item) => !known.has(item));
  for (const item of fresh) known.add(item);
  return fresh;
}

async function untilAllServe({ apis }: ScripProcesses): Promise<boolean> {
  const sinceMs = performance.now();
  while (performance.now() < sinceMs + SERVING_WITHIN_MS) {
    if (apis.every(({ acksMs }) => (acksMs.at(-1) ?? 0) > sinceMs)) return true;
    await wait(SERVE_LOOK_MS);
  }
  return false;
}
