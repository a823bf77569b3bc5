import type { ClientBase } from "pg";
import { splitDatabaseUrl } from "../lib/settings/split-database-url.ts";
import type { Session } from "./prepare-session.ts";
import { readTerm, type Term } from "./primary/primary-term.ts";

/** The servers in DATABASE_URL, of which at most one accepts writes at a time. */
export type Hosts = {
  readonly urls: readonly string[];
  /** Tries the hosts in turn, starting with the last good one, and returns the first success. */
  tryEach<T>(attempt: (index: number) => Promise<T>): Promise<T>;
  /** Marks a host that became silent or read-only. The next search starts with the one after it. */
  suspect(index: number): void;
  /** Where the next search starts. */
  first(): number;
  /** Whether connections to the first host can be used. Always, unless a guide says otherwise. */
  isTrusted(): boolean;
  /** Fails unless a new connection leads to a server that can be used. */
  admit(client: ClientBase, session: Session): Promise<void>;
  /** From now on the guide decides which host is the primary. */
  follow(guide: Guide | undefined): void;
  /** Calls back when all connections must be dropped, including those in use. */
  onLeave(drop: () => void): { off(): void };
  leave(): void;
};

/** Knows which host is the primary because it keeps confirming it; see watch-primary.ts. */
export type Guide = {
  index(): number;
  /** Whether the primary was confirmed recently. Costs two clock reads. */
  holds(): boolean;
  /** Waits until the primary is confirmed. Fails if no host can be confirmed. */
  confirm(): Promise<void>;
  /** Waits for a confirmation that is requested after this call. */
  confirmAgain(): Promise<void>;
  /** Revokes the confirmation until the next one. */
  doubt(): void;
  /** Throws for a connection that does not lead to the confirmed primary. */
  admit(term: Term | undefined): void;
};

const CANNOT_CONNECT = "08001";

/**
 * No host that accepts writes could be reached. The code is PostgreSQL's code for a failed connection, unless all
 * hosts refused us for the same reason: then retrying does not help, and the code is theirs.
 */
export class NoPrimaryError extends Error {
  readonly code: string;
  /** Takes each host's failure in host order; undefined for hosts that did not respond. */
  constructor(urls: readonly string[], failures: readonly unknown[]) {
    const [code = "", ...others] = new Set(failures.map(codeOf));
    const isOurFault = others.length === 0 && isRefusedLogin(code);
    const reasons = urls.map((url, index) => `${hostOf(url)}: ${describe(failures[index])}`);
    super(
      `no host of DATABASE_URL accepts writes: ${reasons.join("; ")}`,
      isOurFault ? { cause: failures.at(-1) } : {},
    );
    this.name = "NoPrimaryError";
    this.code = isOurFault ? code : CANNOT_CONNECT;
  }
}

/** Class 28 is a refused login, 3D000 a missing database. */
export const isRefusedLogin = (code: string): boolean => code.startsWith("28") || code === "3D000";

/** No connection was returned in time, which says nothing about the host. The text is the driver's. */
export const isPoolBusy = (error: unknown): boolean =>
  error instanceof Error && error.message === "timeout exceeded when trying to connect";

/** Protects a standby that is being promoted: within this time after a failed search, callers get its result. */
const SEARCH_PAUSE_MS = 200;

export function openHosts(connectionString: string): Hosts {
  const urls = splitDatabaseUrl(connectionString);
  const turns = urls.length === 1 ? SINGLE_HOST : takeTurns(urls);
  const drops = new Set<() => void>();
  let guide: Guide | undefined;
  return {
    urls,
    tryEach: (attempt) => (guide ? reach(guide, attempt) : turns.tryEach(attempt)),
    suspect(index) {
      turns.suspect(index);
      guide?.doubt();
    },
    first: () => guide?.index() ?? turns.first(),
    isTrusted: () => guide === undefined || guide.holds(),
    async admit(client, session) {
      if (guide || urls.length > 1) refuseStandby(session);
      if (guide) guide.admit(await readTerm(client));
    },
    follow(next) {
      guide = next;
    },
    onLeave(drop) {
      drops.add(drop);
      return { off: () => drops.delete(drop) };
    },
    leave() {
      for (const drop of drops) drop();
    },
  };
}

/** Uses the confirmed host. If that fails, another host may have been confirmed in the meantime. */
async function reach<T>(guide: Guide, attempt: (index: number) => Promise<T>): Promise<T> {
  await guide.confirm();
  try {
    return await attempt(guide.index());
  } catch (error) {
    if (isPoolBusy(error)) throw error;
    await guide.confirmAgain();
    return attempt(guide.index());
  }
}

type Turns = Pick<Hosts, "tryEach" | "suspect" | "first">;

const SINGLE_HOST: Turns = { tryEach: (attempt) => attempt(0), suspect: () => {}, first: () => 0 };

/** Without a guide, each host is asked in turn whether it accepts writes. */
function takeTurns(urls: readonly string[]): Turns {
  const suspicions = urls.map(() => 0);
  let first = 0;
  let successes = 0;
  let vain: { error: NoPrimaryError; untilMs: number } | undefined;

  /** What others found in the meantime is newer than the result of this attempt. */
  const attemptAt = async <T>(index: number, attempt: (index: number) => Promise<T>): Promise<T> => {
    const before = suspicions[index];
    const found = await attempt(index);
    if (suspicions[index] === before) first = index;
    successes += 1;
    vain = undefined;
    return found;
  };

  return {
    async tryEach(attempt) {
      if (vain && performance.now() < vain.untilMs) throw vain.error;
      const before = successes;
      const failures: unknown[] = urls.map(() => undefined);
      for (const index of urls.map((_, step) => (first + step) % urls.length)) {
        try {
          return await attemptAt(index, attempt);
        } catch (error) {
          if (isPoolBusy(error)) throw error;
          failures[index] = error;
        }
      }
      const error = new NoPrimaryError(urls, failures);
      if (successes === before) vain = { error, untilMs: performance.now() + SEARCH_PAUSE_MS };
      throw error;
    },
    suspect(index) {
      suspicions[index] = (suspicions[index] ?? 0) + 1;
      if (first === index) first = (index + 1) % urls.length;
    },
    first: () => first,
  };
}

/** Fails unless the server accepts writes. A standby does not, and neither does a read-only primary. */
export function refuseStandby(session: Session): void {
  if (!session.takesWrites) throw cannotConnect("is read-only");
}

/** An error that counts as an outage, with PostgreSQL's code for a failed connection. */
export const cannotConnect = (message: string): Error =>
  Object.assign(new Error(message), { code: CANNOT_CONNECT });

/** Parsed by hand, because a parser's error would quote the URL with its password. */
export const hostOf = (url: string): string => /^[^/]*\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(url)?.[1] ?? "";

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return "no response";
  // A name with several addresses fails with an AggregateError, which has a code and no message.
  return error.message || codeOf(error) || error.name;
};

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";
