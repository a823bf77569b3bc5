import { Problem, type ProblemOptions } from "../../lib/problem.ts";
import { type ProblemCode, problemTable } from "../../lib/problem-table.ts";

/**
 * Increase it when a message changes, or what both ends rely on: since 3, that a refusal in doubt fences its wallet. Both ends are the same program, but a process that is started again after an upgrade is newer than
 * the others. They do not understand each other, and each decides its placements by itself.
 */
export const WIRE_VERSION = 3;

/** Messages are JSON: V8 reads and writes it several times as fast as its own format, and no value can pretend to be another. */
export const packValues = (values: readonly unknown[]): string => JSON.stringify([WIRE_VERSION, ...values]);

/** The values of a message. Throws if it is none, or of another version. */
export function unpackValues(bytes: Buffer): readonly unknown[] {
  const [version, ...values] = readList(JSON.parse(bytes.toString()));
  if (version !== WIRE_VERSION) throw new Error("a message of another version");
  return values;
}

/** What a process says first, so that the other knows its version. */
export const packGreeting = (): string => packValues([]);

export function readGreeting(bytes: Buffer): void {
  if (unpackValues(bytes).length > 0) throw new Error("a message before the greeting");
}

// What is read is checked completely before any of it is used: a message that was mixed up must not become an order.

export function readList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw unreadable("list");
  return value;
}

export function readText(value: unknown): string {
  if (typeof value !== "string") throw unreadable("text");
  return value;
}

export const readTextOrNull = (value: unknown): string | null => (value === null ? null : readText(value));

export function readFlag(value: unknown): boolean {
  if (typeof value !== "boolean") throw unreadable("flag");
  return value;
}

/** A time on the machine's clock has fractions. */
export function readNumber(value: unknown): number {
  if (typeof value !== "number") throw unreadable("number");
  return value;
}

export function readWhole(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw unreadable("whole number");
  return value as number;
}

/** Amounts travel as numbers: none exceeds the whole numbers that are exact. */
export const readAmount = (value: unknown): bigint => BigInt(readWhole(value));

export function readOneOf<T extends string>(allowed: readonly T[], value: unknown): T {
  if (!(allowed as readonly unknown[]).includes(value)) throw unreadable("word");
  return value as T;
}

export function readRecord(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw unreadable("record");
  return value as Record<string, unknown>;
}

/** An element that another part of the message refers to. */
export function readReferred<T>(all: readonly T[], value: unknown): T {
  const found = all[readWhole(value)];
  if (found === undefined) throw unreadable("reference");
  return found;
}

export const packBytes = (bytes: Buffer): string => bytes.toString("base64");
export const readBytes = (value: unknown): Buffer => Buffer.from(readText(value), "base64");

/** The cause stays in the log of its process. */
export function packProblem({ code, message, options }: Problem): readonly unknown[] {
  const { cause: _, log, ...told } = options;
  return [code, message, log === undefined ? told : { ...told, log: JSON.parse(packLog(log)) }];
}

export function readProblem(value: unknown): Problem {
  const [code, detail, options] = readList(value);
  if (!Object.hasOwn(problemTable, readText(code))) throw unreadable("problem");
  return new Problem(code as ProblemCode, readText(detail), readRecord(options) as ProblemOptions);
}

/** What is logged can hold amounts, which JSON cannot. */
const packLog = (log: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(log, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));

const unreadable = (what: string): Error => new Error(`a message without a ${what} where one belongs`);
