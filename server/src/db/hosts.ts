import type { ClientBase } from "pg";
import { splitDatabaseUrl } from "../lib/split-database-url.ts";

/** The servers that DATABASE_URL names, at most one of which takes writes at a time. */
export type Hosts = {
  readonly urls: readonly string[];
  /** Tries one host after the other, first the one that was good last; what the first good one gives is the answer. */
  tryEach<T>(attempt: (index: number) => Promise<T>): Promise<T>;
  /** This one fell silent or stopped taking writes: the next search begins with the one behind it. */
  suspect(index: number): void;
};

/** No host could be reached that takes writes. The code is PostgreSQL's own for a connection that cannot be made. */
export class NoPrimaryError extends Error {
  readonly code = "08001";
  constructor(reasons: readonly string[]) {
    super(`no host of DATABASE_URL takes writes: ${reasons.join("; ")}`);
    this.name = "NoPrimaryError";
  }
}

/** While a standby is being promoted, nobody hammers it: whoever comes so soon after a vain search gets its answer. */
const SEARCH_PAUSE_MS = 200;
const CHECK_TIMEOUT_MS = 5_000;
/** The driver's words for a pool that has no connection free, which says nothing about the host. */
const POOL_IS_BUSY = "timeout exceeded when trying to connect";

export function openHosts(connectionString: string): Hosts {
  const urls = splitDatabaseUrl(connectionString);
  if (urls.length === 1) return { urls, tryEach: (attempt) => attempt(0), suspect: () => {} };
  let first = 0;
  let vain: { error: NoPrimaryError; untilMs: number } | undefined;

  return {
    urls,
    async tryEach(attempt) {
      if (vain && performance.now() < vain.untilMs) throw vain.error;
      const reasons: string[] = [];
      for (const index of urls.map((_, step) => (first + step) % urls.length)) {
        try {
          const found = await attempt(index);
          first = index;
          vain = undefined;
          return found;
        } catch (error) {
          if (error instanceof Error && error.message === POOL_IS_BUSY) throw error;
          reasons.push(`${hostOf(urls[index] ?? "")}: ${describe(error)}`);
        }
      }
      const error = new NoPrimaryError(reasons);
      vain = { error, untilMs: performance.now() + SEARCH_PAUSE_MS };
      throw error;
    },
    suspect(index) {
      if (first === index) first = (index + 1) % urls.length;
    },
  };
}

/** Fails unless the server takes writes: a standby does not, nor does a primary that was set to read only. */
export async function refuseStandby(client: ClientBase): Promise<void> {
  const check = { text: "show transaction_read_only", query_timeout: CHECK_TIMEOUT_MS };
  const { rows } = await client.query<{ transaction_read_only: string }>(check);
  if (rows[0]?.transaction_read_only !== "off") throw new Error("takes no writes");
}

/** By hand, because what cannot be parsed would be quoted, with the password in it. */
const hostOf = (url: string): string => /^[^/]*\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(url)?.[1] ?? "";

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  // A name with several addresses fails with an error of errors, which has a code and no message.
  return error.message || ("code" in error ? String(error.code) : error.name);
};
