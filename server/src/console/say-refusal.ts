import { Refusal } from "../accounts/refusal.ts";
import { notFound, Problem } from "../lib/problem.ts";

/** The fields of a form by the options of the command that does the same. */
export type OptionFields = Readonly<Record<string, { name: string; label: string }>>;

/**
 * The words of a RangeError are for people. Here they come back above the form that was sent, or at the field that they begin with. Where
 * they name an option of the command, the form says its field.
 */
export const sayRefusal = <Result>(work: Promise<Result>, options: OptionFields = {}): Promise<Result> =>
  work.catch((error: unknown) => {
    if (error instanceof Refusal || !(error instanceof RangeError)) throw error;
    const message = error.message.replaceAll(OPTION, (option) => options[option]?.label ?? option);
    const detail = `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
    const field = options[OPTION_FIRST.exec(error.message)?.[0] ?? ""];
    throw new Problem(
      "invalid_request",
      detail,
      field ? { errors: [{ pointer: `/${field.name}`, code: "invalid", detail }] } : {},
    );
  });

const OPTION = /--[a-z][a-z-]*/g;
const OPTION_FIRST = /^--[a-z][a-z-]*/;

/** What a verb does not find is no page. */
export const orNotFound = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => {
    throw error instanceof RangeError ? notFound() : error;
  });
