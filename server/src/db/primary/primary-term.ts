import type { ClientBase } from "pg";
import { PREPARE_TIMEOUT_MS } from "../prepare-session.ts";

/** Identifies a primary: its system and its timeline. Each promotion starts a higher timeline. */
export type Term = { system: string; timeline: number };

/** `other`: another system, as after a switch to a restored or upgraded copy. `unknown`: nothing to compare. */
export type Verdict = "same" | "newer" | "older" | "other" | "unknown";

export type Fence = {
  /** Compares a primary with the newest one that this process has seen. */
  judge(term: Term | undefined): Verdict;
  /** Records a primary. Older primaries of its system are refused from now on. */
  raise(term: Term | undefined): void;
};

/** WAL file names start with the timeline. Unlike the control file they show a promotion immediately. */
const TERM_QUESTION = `
  select (select system_identifier::text from pg_control_system()) as system,
         substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline`;

/** PostgreSQL-compatible services may lack or forbid the functions. */
const UNSUPPORTED_CODES: ReadonlySet<string> = new Set(["0A000", "42501", "42883"]);

/** Reads the term of a primary. Undefined if the server does not support it: then only the heartbeat protects. */
export async function readTerm(client: ClientBase): Promise<Term | undefined> {
  const query = { text: TERM_QUESTION, query_timeout: PREPARE_TIMEOUT_MS };
  try {
    const { rows } = await client.query<{ system: string; timeline: string }>(query);
    return rows[0] && { system: rows[0].system, timeline: Number.parseInt(rows[0].timeline, 16) };
  } catch (error) {
    if (error instanceof Error && "code" in error && UNSUPPORTED_CODES.has(String(error.code)))
      return undefined;
    throw error;
  }
}

export const isSameTerm = (one: Term | undefined, another: Term | undefined): boolean =>
  one !== undefined && one.system === another?.system && one.timeline === another.timeline;

/** Remembers the newest primary of each system that this process has seen. */
export function createFence(): Fence {
  const newest = new Map<string, number>();
  let current: string | undefined;
  return {
    judge(term) {
      if (term === undefined || current === undefined) return "unknown";
      const seen = newest.get(term.system);
      if (seen !== undefined && term.timeline < seen) return "older";
      if (term.system !== current) return "other";
      return term.timeline === seen ? "same" : "newer";
    },
    raise(term) {
      if (term === undefined) return;
      current = term.system;
      newest.set(term.system, Math.max(term.timeline, newest.get(term.system) ?? 0));
    },
  };
}
