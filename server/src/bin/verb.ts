import { type Command, CommanderError } from "commander";
import { escapeJson, escapeText } from "../lib/escape-text.ts";
import type { Context } from "./open-context.ts";
import { paintError } from "./output/terminal.ts";

const USAGE_EXIT = 2;
const FAILURE_EXIT = 1;

/**
 * Turns a verb into a command: opens the database, runs the verb, prints its result (one JSON document with --json, otherwise
 * the text of `show`), and closes the database. Errors are one line on standard error.
 */
export function verb<Result>(
  command: Command,
  run: (context: Context, options: Options, args: string[]) => Promise<Result>,
  show: (result: Result) => string | undefined,
  { mayCreate = false, statementTimeoutMs = 0 }: { mayCreate?: boolean; statementTimeoutMs?: number } = {},
): void {
  command.option("--json", "print one JSON document");
  command.action(async () => {
    const options = command.opts<Options>();
    // Loaded here: `--help` needs neither, and must not wait for them.
    const [{ readConfig }, { openContext }] = await Promise.all([
      import("../config.ts"),
      import("./open-context.ts"),
    ]);
    const context = await openContext(readConfig(process.env), {
      mayCreate,
      applicationName: "scrip command",
      poolSize: COMMAND_POOL_SIZE,
      statementTimeoutMs,
      tell: () => {},
      onConnectionLost: () => {},
    });
    try {
      const result = await run(context, options, command.args);
      const output = options.json === true ? toJson(result) : show(result);
      if (output !== undefined) print(output);
    } finally {
      await context.close();
    }
  });
}

const toJson = (result: unknown): string | undefined =>
  result === undefined ? undefined : escapeJson(JSON.stringify(result, null, 2));

export type Options = Record<string, string | boolean | undefined>;

const COMMAND_POOL_SIZE = 2;

/** The text of an option, or undefined when it is absent. */
export const text = (options: Options, name: string): string | undefined => {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
};

export function required(options: Options, name: string): string {
  const value = text(options, name);
  if (value === undefined) throw new UsageError(`--${name} is required`);
  return value;
}

/** Live or sandbox, as `--env` says. */
export function environmentOf(options: Options): "live" | "test" {
  const value = required(options, "env");
  if (value !== "live" && value !== "test")
    throw new UsageError(`--env must be live or test, not "${value}"`);
  return value;
}

/** "a, b" → ["a", "b"]. */
export const listed = (value: string | undefined): string[] | undefined =>
  value
    ?.split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** A usage error: exit code 2, as for errors of commander. */
export class UsageError extends Error {}

export const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** An error, on standard error. */
export const tellError = (message: string): void => {
  process.stderr.write(`${paintError("red", "scrip:")} ${message}\n`);
};

/** The command succeeded, but the operator might have meant something else. */
export const tellWarning = (message: string): void => {
  process.stderr.write(`${paintError("yellow", "warning:")} ${message}\n`);
};

/** Runs the program. An error becomes one line on standard error and an exit code. */
export async function runProgram(program: Command, argv: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = exitCodeOf(error);
    if (!(error instanceof CommanderError)) tellError(describe(error));
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_EXIT;
  return error instanceof UsageError ? USAGE_EXIT : FAILURE_EXIT;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const message = escapeText(error.message.replaceAll(/\s*\n\s*/g, " "));
  return process.env.LOG_LEVEL === "debug" && error.stack ? error.stack : message;
}
