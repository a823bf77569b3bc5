import { parseDuration } from "../../lib/duration.ts";
import { parseTime, parseTimeOrDate } from "../../lib/time.ts";
import { type Options, required, text, UsageError } from "../verb.ts";

/** A required integer. */
export function wholeNumber(options: Options, name: string): number {
  const value = required(options, name);
  if (!/^\d{1,9}$/.test(value))
    throw new UsageError(`--${optionOf(name)} must be an integer, not "${value}"`);
  return Number(value);
}

/** `--limit`, from 1 to `max`. */
export function limitOf(options: Options, max: number): number {
  const value = required(options, "limit");
  if (!/^\d{1,9}$/.test(value) || Number(value) < 1 || Number(value) > max)
    throw new UsageError(`--limit must be from 1 to ${max}, not "${value}"`);
  return Number(value);
}

/** A time with its zone, or a date, which means its start in UTC. */
export function timeOf(options: Options, name: string): Date | undefined {
  const value = text(options, name);
  if (value === undefined) return undefined;
  const time = parseTimeOrDate(value);
  if (time) return time;
  const option = `--${optionOf(name)}`;
  if (LOCAL_TIME.test(value) && parseTime(`${value}Z`))
    throw new UsageError(
      `${option} needs a time zone: ${value}Z for UTC, or an offset such as ${value}+02:00, not "${value}"`,
    );
  throw new UsageError(`${option} must be a time such as 2030-01-31T12:00:00Z or 2030-01-31, not "${value}"`);
}

/** A time whose zone would be that of whichever machine reads it. */
const LOCAL_TIME = /T[\d:.]+$/i;

/** An age, such as 30m, 2h or 7d. */
export function ageOf(options: Options, name: string, now: Date): Date | undefined {
  const value = text(options, name);
  if (value === undefined) return undefined;
  const ageMs = value === "0" ? undefined : parseDuration(value);
  if (ageMs === undefined)
    throw new UsageError(`--${optionOf(name)} must be an age such as 30m, 2h or 7d, not "${value}"`);
  return new Date(now.getTime() - ageMs);
}

/** A length of time in milliseconds, such as 30m or 24h. */
export function durationOf(options: Options, name: string): number {
  const value = required(options, name);
  const durationMs = parseDuration(value);
  if (durationMs === undefined)
    throw new UsageError(`--${optionOf(name)} must be a duration such as 30m, 24h or 0, not "${value}"`);
  return durationMs;
}

/** One of several words. */
export function choiceOf<Choice extends string>(
  options: Options,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = text(options, name);
  if (value === undefined) return undefined;
  const found = choices.find((choice) => choice === value);
  if (found === undefined)
    throw new UsageError(`--${name} must be one of ${choices.join(", ")}, not "${value}"`);
  return found;
}

/** olderThan → older-than. */
const optionOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
