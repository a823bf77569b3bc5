import { setTimeout as wait } from "node:timers/promises";
import type { Health, PatroniCluster } from "./cluster.ts";
import type { FaultName } from "./fault-names.ts";
import { holdBackLog } from "./hold-back-log.ts";
import type { Member } from "./member.ts";
import type { Prober } from "./prober.ts";

export type Blow = {
  cluster: PatroniCluster;
  health: Health;
  prober: Prober;
  isAsync: boolean;
  /** Called as soon as the fault has started. */
  onStruck: () => void;
  /** Revokes a key at this member and waits until every process refuses it, within a limit. */
  revokeAt: (leader: Member) => Promise<void>;
};

/** Causes the fault, waits for Patroni's reaction, and restores what was hit. */
export type Fault = (blow: Blow) => Promise<void>;

/** Long enough for ttl, a loop of Patroni and a promotion on a busy machine. */
const NEW_LEADER_WITHIN_MS = 60_000;
/** A member with a live Patroni can stay leader as long as its PostgreSQL is frozen. */
const FROZEN_AT_MOST_MS = 45_000;
/** More than ttl, so that the leader's key would expire. */
const ETCD_AWAY_MS = 30_000;
/** Some loops of Patroni. */
const ETCD_BACK_MS = 15_000;
const STANDBY_AWAY_MS = 15_000;
const SETTLE_MS = 1_000;
const SWITCHOVER_TIMEOUT_MS = 30_000;

export const FAULTS: Readonly<Record<FaultName, Fault>> = {
  switchover: async ({ health, prober, onStruck }) => {
    const sinceMs = performance.now();
    onStruck();
    const { leader, synchronous } = health;
    const reply = await fetch(`http://127.0.0.1:${leader.restPort}/switchover`, {
      method: "POST",
      body: JSON.stringify({ leader: leader.name, candidate: synchronous.name }),
      signal: AbortSignal.timeout(SWITCHOVER_TIMEOUT_MS),
    });
    if (!reply.ok) throw new Error(`Patroni refused the switchover: ${await reply.text()}`);
    await untilOtherLeads(prober, leader, sinceMs, NEW_LEADER_WITHIN_MS);
  },
  "kill-postgres": async ({ health, prober, onStruck }) => {
    await health.leader.signalPostmaster("SIGKILL");
    onStruck();
    // Its processes can finish their work; a process that appears a second later belongs to a new server.
    await prober.untilAck(performance.now() + SETTLE_MS, NEW_LEADER_WITHIN_MS);
  },
  "kill-patroni": (blow) =>
    replaceLeader(blow, {
      strike: async ({ leader }) => leader.signalPatroni("SIGKILL"),
      heal: async ({ leader }) => {
        await leader.untilPatroniEnds();
        await leader.startPatroni();
      },
      isOldAlive: true,
      withinMs: NEW_LEADER_WITHIN_MS,
    }),
  "kill-both": (blow) =>
    replaceLeader(blow, {
      strike: async ({ leader }) => {
        if (blow.isAsync) await holdBackLog(leader);
        leader.signalPatroni("SIGKILL");
        await leader.signalPostgres("SIGKILL");
      },
      heal: async ({ leader }) => {
        await leader.untilPatroniEnds();
        await leader.startPatroni();
      },
      isOldAlive: false,
      withinMs: NEW_LEADER_WITHIN_MS,
    }),
  "freeze-patroni": (blow) =>
    replaceLeader(blow, {
      strike: async ({ leader }) => leader.signalPatroni("SIGSTOP"),
      heal: async ({ leader }) => leader.signalPatroni("SIGCONT"),
      isOldAlive: true,
      withinMs: NEW_LEADER_WITHIN_MS,
    }),
  "freeze-postgres": (blow) =>
    replaceLeader(blow, {
      strike: ({ leader }) => leader.signalPostgres("SIGSTOP"),
      heal: ({ leader }) => leader.signalPostgres("SIGCONT"),
      isOldAlive: true,
      withinMs: FROZEN_AT_MOST_MS,
    }),
  "freeze-both": (blow) =>
    replaceLeader(blow, {
      strike: async ({ leader }) => {
        await leader.signalPostgres("SIGSTOP");
        leader.signalPatroni("SIGSTOP");
      },
      heal: async ({ leader }) => {
        await leader.signalPostgres("SIGCONT");
        leader.signalPatroni("SIGCONT");
      },
      isOldAlive: true,
      withinMs: NEW_LEADER_WITHIN_MS,
    }),
  "kill-etcd": async ({ cluster, onStruck }) => {
    await cluster.etcd.kill();
    onStruck();
    await wait(ETCD_AWAY_MS);
    await cluster.etcd.start();
    // The leader's key has expired, and the first member takes it: the leader can change now.
    await wait(ETCD_BACK_MS);
  },
  "pause-standby": async ({ health: { synchronous }, prober, onStruck }) => {
    await synchronous.signalPostgres("SIGSTOP");
    synchronous.signalPatroni("SIGSTOP");
    onStruck();
    await wait(STANDBY_AWAY_MS);
    await prober.untilAck(performance.now(), NEW_LEADER_WITHIN_MS);
    await synchronous.signalPostgres("SIGCONT");
    synchronous.signalPatroni("SIGCONT");
  },
};

type Replacement = {
  strike: (health: Health) => Promise<void>;
  heal: (health: Health) => Promise<void>;
  /** Whether the old primary can still answer reads, so that a revoked key must be tried. */
  isOldAlive: boolean;
  withinMs: number;
};

async function replaceLeader(
  { health, prober, onStruck, revokeAt, cluster }: Blow,
  { strike, heal, isOldAlive, withinMs }: Replacement,
): Promise<void> {
  const sinceMs = performance.now();
  await strike(health);
  onStruck();
  const next = await untilOtherLeads(prober, health.leader, sinceMs, withinMs);
  if (next !== undefined && isOldAlive) await revokeAt(cluster.member(next));
  await heal(health);
}

/** The name of the member that acknowledges writes instead of the old one, or undefined after the limit. */
async function untilOtherLeads(
  prober: Prober,
  { name }: Member,
  sinceMs: number,
  withinMs: number,
): Promise<string | undefined> {
  const ack = await prober.untilAck(sinceMs, withinMs, (member) => member !== name);
  return ack?.member;
}
