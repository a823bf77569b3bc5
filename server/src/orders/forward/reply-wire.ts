import { toSafeInteger } from "../../lib/money.ts";
import type { Problem } from "../../lib/problem.ts";
import type { BoundOrder } from "../placing/decide-placements.ts";
import type { BatchDecision } from "../placing/placement-batch.ts";
import { ORDER_STATUSES } from "../status.ts";
import {
  packBytes,
  packProblem,
  packValues,
  readAmount,
  readBytes,
  readFlag,
  readList,
  readOneOf,
  readProblem,
  readText,
  readWhole,
  unpackValues,
} from "./wire-values.ts";

/**
 * What a process is told about a placement that it forwarded. `placed`: exactly as it was sent. `own`: decide it yourself, nothing
 * is known here.
 */
export type ForwardedDecision =
  | { kind: "order"; order: BoundOrder }
  | { kind: "problem"; problem: Problem; isDecided: boolean }
  | { kind: "stale"; catalogRevision: string }
  | { kind: (typeof BARE_KINDS)[number] };
export type Reply = { id: number; decisions: readonly ForwardedDecision[] };

const BARE_KINDS = ["placed", "conflict", "revoked", "busy", "own"] as const;
const PLACED: ForwardedDecision = { kind: "placed" };
const ONLY_PLACED: readonly ForwardedDecision[] = [PLACED];

/** A decision for the process that forwarded the placement. It knows the order that it asked for. */
export function forwardDecision(decision: BatchDecision): ForwardedDecision {
  switch (decision.kind) {
    case "placed":
      return PLACED;
    case "replayed":
      return { kind: "order", order: decision.order };
    case "refused":
      return { kind: "problem", problem: decision.problem, isDecided: true };
    case "stale":
      return { kind: "stale", catalogRevision: decision.catalogRevision };
    case "failed":
      return { kind: "own" };
    default:
      return { kind: decision.kind };
  }
}

/** Of most submissions all that is said is the number: one order, placed as asked. */
export function packReplies(replies: readonly Reply[]): string {
  const placed: number[] = [];
  const others: unknown[][] = [];
  for (const { id, decisions } of replies) {
    if (decisions.length === 1 && decisions[0]?.kind === "placed") placed.push(id);
    else others.push([id, ...decisions.map(packDecision)]);
  }
  return packValues([placed, others]);
}

export function unpackReplies(bytes: Buffer): Reply[] {
  const [placed, others] = unpackValues(bytes);
  return [
    ...readList(placed).map((id): Reply => ({ id: readWhole(id), decisions: ONLY_PLACED })),
    ...readList(others).map((other): Reply => {
      const [id, ...decisions] = readList(other);
      return { id: readWhole(id), decisions: decisions.map(readDecision) };
    }),
  ];
}

function packDecision(decision: ForwardedDecision): readonly unknown[] {
  switch (decision.kind) {
    case "order": {
      const { id, status, totalMinor, currency, fingerprint } = decision.order;
      return ["order", id, status, toSafeInteger(totalMinor), currency, packBytes(fingerprint)];
    }
    case "problem":
      return ["problem", packProblem(decision.problem), decision.isDecided];
    case "stale":
      return ["stale", decision.catalogRevision];
    default:
      return [decision.kind];
  }
}

function readDecision(value: unknown): ForwardedDecision {
  const [kind, ...values] = readList(value);
  switch (kind) {
    case "order":
      return { kind, order: readOrder(values) };
    case "problem":
      return { kind, problem: readProblem(values[0]), isDecided: readFlag(values[1]) };
    case "stale":
      return { kind, catalogRevision: readText(values[0]) };
    default:
      return { kind: readOneOf(BARE_KINDS, kind) };
  }
}

const readOrder = ([id, status, total, currency, fingerprint]: readonly unknown[]): BoundOrder => ({
  id: readText(id),
  status: readOneOf(ORDER_STATUSES, status),
  totalMinor: readAmount(total),
  currency: readText(currency),
  fingerprint: readBytes(fingerprint),
});
