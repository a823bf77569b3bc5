import { type ProblemCode, problemTable } from "./problem-table.ts";

/** One invalid field: a JSON Pointer into the body, or `?name` for a query parameter. */
export type FieldError = { pointer: string; code: string; detail: string };

/** Additional members that some problems have (CONTRACT 1). */
export type ProblemMembers = {
  orderStatus?: string;
  currentTotal?: ProblemMoney;
  expectedTotal?: ProblemMoney;
  available?: number;
  /** What the order costs, and what the wallet holds. */
  required?: ProblemMoney;
  balance?: ProblemMoney;
  /** The order that the key belongs to, and the names of what this request has differently. */
  orderId?: string;
  differs?: readonly string[];
};
export type ProblemMoney = { amount: number; currency: string };

export type ProblemOptions = {
  errors?: readonly FieldError[];
  members?: ProblemMembers;
  headers?: Readonly<Record<string, string>>;
  /** Logged only, never sent to the caller. */
  log?: Readonly<Record<string, unknown>>;
  cause?: unknown;
  /** The sandbox was asked to fail like this. Nothing is wrong, so no one is alerted. */
  isAskedFor?: boolean;
};

/** An error response. `detail` is for the caller; `log` and `cause` never leave the server. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly options: ProblemOptions;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, options.cause === undefined ? {} : { cause: options.cause });
    this.name = "Problem";
    this.code = code;
    this.status = problemTable[code].status;
    this.options = options;
  }
}

/** The problem+json body of SPEC.md, Errors. */
export function problemBody(problem: Problem, baseUrl: string, requestId: string): Record<string, unknown> {
  return {
    type: `${baseUrl}/errors/${problem.code}`,
    title: problemTable[problem.code].title,
    status: problem.status,
    code: problem.code,
    detail: problem.message,
    request_id: requestId,
    ...(problem.options.errors && problem.options.errors.length > 0
      ? { errors: problem.options.errors }
      : {}),
    ...problem.options.members,
  };
}

/** The same text for missing and forbidden resources, so that callers cannot tell them apart. */
export const notFound = (): Problem => new Problem("not_found", "Resource not found.");
