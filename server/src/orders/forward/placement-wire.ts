import { deserialize, serialize } from "node:v8";
import { Problem, type ProblemOptions } from "../../lib/problem.ts";
import type { ProblemCode } from "../../lib/problem-table.ts";
import type { BoundOrder, Placement } from "../decide-placements.ts";
import type { BatchDecision } from "../placement-batch.ts";

/** Placements that are decided in one transaction if they are a group. Otherwise there is one. */
export type Submission = {
  id: number;
  isGroup: boolean;
  placements: readonly Placement[];
  /** From then on only the process that sent them decides (`machineTimeMs`). */
  deadlineMs: number;
};

/** What a process is told about a placement that it forwarded. `own`: decide it yourself, nothing is known here. */
export type ForwardedDecision =
  | { kind: "order"; order: BoundOrder }
  | { kind: "problem"; problem: Problem; isDecided: boolean }
  | { kind: "stale"; catalogRevision: string }
  | { kind: "conflict" | "revoked" | "busy" | "own" };
export type Reply = { id: number; decisions: readonly ForwardedDecision[] };

/** Both ends are the same program on the same machine, so values travel as V8 writes them. Throws for functions. */
export const packSubmissions = (submissions: readonly Submission[]): Buffer =>
  serialize(
    submissions.map(({ id, isGroup, placements, deadlineMs }) => [
      id,
      isGroup,
      placements.map(withPlainProblem),
      deadlineMs,
    ]),
  );

export function unpackSubmissions(bytes: Buffer): Submission[] {
  const read = deserialize(bytes) as [number, boolean, PlainPlacement[], number][];
  return read.map(([id, isGroup, placements, deadlineMs]) => ({
    id,
    isGroup,
    placements: placements.map((one) => ({ ...withProblem(one), deadlineMs })),
    deadlineMs,
  }));
}

export const packReplies = (replies: readonly Reply[]): Buffer =>
  serialize(
    replies.map(({ id, decisions }) => ({
      id,
      decisions: decisions.map((one) =>
        one.kind === "problem" ? { ...one, problem: toPlain(one.problem) } : one,
      ),
    })),
  );

export function unpackReplies(bytes: Buffer): Reply[] {
  const read = deserialize(bytes) as { id: number; decisions: PlainDecision[] }[];
  return read.map(({ id, decisions }) => ({
    id,
    decisions: decisions.map((one) =>
      one.kind === "problem" ? { ...one, problem: fromPlain(one.problem) } : one,
    ),
  }));
}

/** A decision for the process that forwarded the placement. An order that was placed is its own order. */
export function forwardDecision(decision: BatchDecision): ForwardedDecision {
  switch (decision.kind) {
    case "placed":
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

type PlainProblem = { code: ProblemCode; detail: string; options: ProblemOptions };
type PlainPlacement = Omit<Placement, "priced"> & {
  priced: Exclude<Placement["priced"], Problem> | { plainProblem: PlainProblem };
};
type PlainDecision =
  | Exclude<ForwardedDecision, { kind: "problem" }>
  | { kind: "problem"; problem: PlainProblem; isDecided: boolean };

/** V8 writes an instance of a class as a plain object. */
const withPlainProblem = (placement: Placement): PlainPlacement =>
  placement.priced instanceof Problem
    ? { ...placement, priced: { plainProblem: toPlain(placement.priced) } }
    : { ...placement, priced: placement.priced };

const withProblem = ({ priced, ...placement }: PlainPlacement): Placement => ({
  ...placement,
  priced: "plainProblem" in priced ? fromPlain(priced.plainProblem) : priced,
});

/** The cause stays in the log of its process. */
const toPlain = ({ code, message, options: { cause: _, ...options } }: Problem): PlainProblem => ({
  code,
  detail: message,
  options,
});

const fromPlain = ({ code, detail, options }: PlainProblem): Problem => new Problem(code, detail, options);
