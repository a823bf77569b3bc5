import type { ClientBase } from "pg";
import { splitDatabaseUrl } from "../lib/split-database-url.ts";
import type { Session } from "./prepare-session.ts";
import { readTerm, type Term } from "./primary/primary-term.ts";

/** The servers that DATABASE_URL names, at most one of which takes writes at a time. */
export type Hosts = {
  readonly urls: readonly string[];
  /** Tries one host after the other, first the one that was good last; what the first good one gives is the answer. */
  tryEach<T>(attempt: (index: number) => Promise<T>): Promise<T>;
  /** This one fell silent or stopped taking writes: the next search begins with the one behind it. */
  suspect(index: number): void;
  /** Where the next search begins. */
  first(): number;
  /** Whether connections to the first host may be used. Always, unless a guide says otherwise. */
  isTrusted(): boolean;
  /** Fails unless a new connection leads to a server that may be used. */
  admit(client: ClientBase, session: Session): Promise<void>;
  /** From now on the guide says which host is the primary, and is asked first. */
  follow(guide: Guide | undefined): void;
  /** Calls back when all connections are to be dropped, those in use as well. */
  onLeave(drop: () => void): { off(): void };
  leave(): void;
};

/** Whoever knows which host is the primary, because it keeps having it confirmed; see watch-primary.ts. */
export type Guide = {
  index(): number;
  /** Whether the primary was confirmed lately. Costs two looks at a clock. */
  holds(): boolean;
  /** Waits until it holds; fails when no host can be confirmed. */
  confirm(): Promise<void>;
  /** Waits for a confirmation that was asked for from now on. */
  confirmAgain(): Promise<void>;
  /** Nothing holds any more until it is confirmed again. */
  doubt(): void;
  /** Throws for a connection that does not lead to the confirmed primary. */
  admit(term: Term | undefined): void;
};

const CANNOT_CONNECT = "08001";

/**
 * No host could be reached that takes writes. The code is PostgreSQL's own for a connection that cannot be made, unless
 * all of them refused us for the same reason: then waiting does not help, and the code is theirs.
 */
export class NoPrimaryError extends Error {
  readonly code: string;
  /** With what each host said, in the order of the hosts; undefined of those that said nothing. */
  constructor(urls: readonly string[], failures: readonly unknown[]) {
    const [code = "", ...others] = new Set(failures.map(codeOf));
    const isOurFault = others.length === 0 && isRefusedLogin(code);
    const reasons = urls.map((url, index) => `${hostOf(url)}: ${describe(failures[index])}`);
    super(
      `no host of DATABASE_URL takes writes: ${reasons.join("; ")}`,
      isOurFault ? { cause: failures.at(-1) } : {},
    );
    this.name = "NoPrimaryError";
    this.code = isOurFault ? code : CANNOT_CONNECT;
  }
}

/** 28 is the class of refused logins, 3D000 a database that does not exist. */
export const isRefusedLogin = (code: string): boolean => code.startsWith("28") || code === "3D000";

/** Nobody gave a connection back in time, which says nothing about the host. The words are the driver's. */
export const isPoolBusy = (error: unknown): boolean =>
  error instanceof Error && error.message === "timeout exceeded when trying to connect";

/** While a standby is being promoted, nobody hammers it: whoever comes so soon after a vain search gets its answer. */
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

/** Goes to the confirmed host. When that fails, somebody else may have been confirmed by the time that we know. */
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

/** Without a guide: one after the other is asked whether it takes writes. */
function takeTurns(urls: readonly string[]): Turns {
  const suspicions = urls.map(() => 0);
  let first = 0;
  let successes = 0;
  let vain: { error: NoPrimaryError; untilMs: number } | undefined;

  /** What others found out in the meantime is newer than what this attempt tells. */
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

/** Fails unless the server takes writes: a standby does not, nor does a primary that was set to read only. */
export function refuseStandby(session: Session): void {
  if (!session.takesWrites) throw cannotConnect("takes no writes");
}

/** An error that means an outage, by PostgreSQL's own code for a connection that cannot be made. */
export const cannotConnect = (message: string): Error =>
  Object.assign(new Error(message), { code: CANNOT_CONNECT });

/** By hand, because what cannot be parsed would be quoted, with the password in it. */
export const hostOf = (url: string): string => /^[^/]*\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(url)?.[1] ?? "";

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return "gives no answer";
  // A name with several addresses fails with an error of errors, which has a code and no message.
  return error.message || codeOf(error) || error.name;
};

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";
