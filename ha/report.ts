import { LEASE_MS } from "../server/src/db/primary/watch-primary.ts";
import { FAULT_TITLES } from "./fault-names.ts";
import type { FaultRow } from "./fault-run.ts";
import type { HaResult } from "./result.ts";
import type { Findings } from "./verify.ts";

/** A request with a revoked key is refused when it begins later than this after the revocation, whatever hangs. */
export const REVOCATION_BOUND_MS = LEASE_MS;
/** So much longer than Patroni itself Scrip may be away. */
export const EXTRA_OUTAGE_BOUND_MS = 6_000;
const SHOWN_MAX = 5;

const HEAD = [
  "fault",
  "reached by",
  "Patroni's own outage",
  "outage of Scrip",
  "revoked key accepted for",
  "`/readyz` 503 after",
  "orders",
  "lost",
];

/** Why a row is not what was promised; empty when it is. */
export function findRowFaults(row: FaultRow): string[] {
  const { lost, hadTwoLeaders, revokedAcceptedMs, plainOutageMs, scripOutageMs, isServing } = row;
  return [
    ...(lost.length > 0
      ? [`${lost.length} acknowledged orders are gone${hadTwoLeaders ? ": Patroni had two leaders" : ""}`]
      : []),
    ...(revokedAcceptedMs !== undefined && revokedAcceptedMs > REVOCATION_BOUND_MS
      ? [`a revoked key was accepted for ${seconds(revokedAcceptedMs)}`]
      : []),
    ...(scripOutageMs > plainOutageMs + EXTRA_OUTAGE_BOUND_MS
      ? [`Scrip was away for ${seconds(scripOutageMs)}, Patroni for ${seconds(plainOutageMs)}`]
      : []),
    ...(isServing ? [] : ["not every API process acknowledged orders again"]),
  ];
}

export const isClean = ({ rows, findings }: HaResult): boolean =>
  rows.every((row) => findRowFaults(row).length === 0) &&
  Object.values(findings).every((found) => found.length === 0);

/** One line while the run goes on. */
export const describeRow = (row: FaultRow): string =>
  [
    `${row.via}: ${row.fault}: leaders ${row.leaders.join(" → ")}`,
    `Patroni's outage ${seconds(row.plainOutageMs)}, Scrip's ${seconds(row.scripOutageMs)}`,
    ...(row.revokedAcceptedMs === undefined
      ? []
      : [`revoked key accepted for ${seconds(row.revokedAcceptedMs)}`]),
    `${row.acknowledged} orders, ${row.lost.length} lost, ${row.probeRowsLost} plain rows lost`,
    ...(row.hadTwoLeaders ? ["Patroni had two leaders"] : []),
  ].join("; ");

/** The table of a run, as Markdown. */
export function describeTable(rows: readonly FaultRow[]): string {
  const lines = rows.map((row) => [
    FAULT_TITLES[row.fault],
    row.via === "hosts" ? "all hosts" : "HAProxy",
    seconds(row.plainOutageMs),
    seconds(row.scripOutageMs),
    row.revokedAcceptedMs === undefined ? "" : seconds(row.revokedAcceptedMs),
    row.unreadyAfterMs === undefined ? "stayed 200" : seconds(row.unreadyAfterMs),
    String(row.acknowledged),
    describeLoss(row),
  ]);
  return [HEAD, HEAD.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

export function describeLoss({ lost, hadTwoLeaders, probeRowsLost }: FaultRow): string {
  if (hadTwoLeaders) return `Patroni had two leaders: ${lost.length} orders rewound`;
  if (lost.length > 0 && probeRowsLost > 0)
    return `${lost.length}, with ${probeRowsLost} rows of a plain client`;
  return String(lost.length);
}

export function describeFindings(findings: Findings): string {
  return (Object.keys(findings) as (keyof Findings)[])
    .flatMap((name) => [
      `${name}: ${findings[name].length}`,
      ...findings[name].slice(0, SHOWN_MAX).map((text) => `  - ${text}`),
    ])
    .join("\n");
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
