import { Refusal } from "../accounts/refusal.ts";
import { notFound, Problem } from "../lib/problem.ts";

/** The words of a RangeError are for people. Here they come back above the form that was sent. */
export const sayRefusal = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => {
    if (error instanceof Refusal || !(error instanceof RangeError)) throw error;
    const { message } = error;
    throw new Problem("invalid_request", `${message.charAt(0).toUpperCase()}${message.slice(1)}`);
  });

/** What a verb does not find is no page. */
export const orNotFound = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => {
    throw error instanceof RangeError ? notFound() : error;
  });
