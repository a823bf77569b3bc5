import { type ProblemCode, problemTable } from "./problem-table.ts";

/** One field at fault: a JSON Pointer into the body, or `?name` for a query parameter. */
export type FieldError = { pointer: string; code: string; detail: string };

/** Members that some problems add to their body (CONTRACT 1). */
export type ProblemMembers = {
  orderStatus?: string;
  currentTotal?: { amount: number; currency: string };
  available?: number;
};

export type ProblemOptions = {
  errors?: readonly FieldError[];
  members?: ProblemMembers;
  headers?: Readonly<Record<string, string>>;
  /** What only our log may know. */
  log?: Readonly<Record<string, unknown>>;
  cause?: unknown;
  /** The sandbox was asked for this answer: nothing broke, and nobody is to be woken. */
  isAskedFor?: boolean;
};

/** An answer that is not a success. `detail` is for the caller; `log` and `cause` never leave the server. */
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

/** The one sentence for everything that may not be seen, so that no answer tells the missing from the forbidden. */
export const notFound = (): Problem => new Problem("not_found", "Nothing was found here for this key.");
