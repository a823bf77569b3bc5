import pg from "pg";
import { type Hosts, isPoolBusy, refuseStandby } from "./hosts.ts";
import { prepareSession } from "./prepare-session.ts";

/** Connections to whichever host takes writes. */
export type PrimaryPool = {
  connect(): Promise<Connection>;
  end(): Promise<void>;
};

export type Connection = {
  client: pg.PoolClient;
  /** With an error the connection is thrown away, and never handed to anybody else. */
  release(error?: Error): void;
  /** The host is no longer to be trusted, nor is any connection to it. */
  suspectHost(): void;
};

export type PoolSettings = pg.PoolConfig & {
  /** 0, the default, is off. */
  statementTimeoutMs?: number;
};

/**
 * One pool for each host, of which one is in use. Each new connection is prepared in one round trip; with several hosts it
 * is used only if it takes writes.
 */
export function openPool(
  hosts: Hosts,
  { statementTimeoutMs = 0, ...config }: PoolSettings,
  onConnectionLost: (error: Error) => void,
): PrimaryPool {
  const areSeveral = hosts.urls.length > 1;
  const open = (connectionString: string): pg.Pool => {
    const pool = new pg.Pool({
      ...config,
      connectionString,
      onConnect: async (client) => {
        const session = await prepareSession(client, { statementTimeoutMs });
        if (areSeveral) refuseStandby(session);
      },
    });
    // Without a listener a backend that dies takes the process with it, whether its connection is idle or in use. In use
    // the statement fails, and the event tells nothing more.
    pool.on("error", onConnectionLost);
    pool.on("connect", (client) => client.on("error", () => {}));
    return pool;
  };
  const pools = hosts.urls.map(open);
  const ending = new Set<Promise<void>>();
  let replacements = 0;
  let isClosed = false;

  const replace = (index: number, pool: pg.Pool): void => {
    // Many find out at the same time; the first of them has done it.
    if (!areSeveral || isClosed || pools[index] !== pool) return;
    replacements += 1;
    hosts.suspect(index);
    pools[index] = open(hosts.urls[index] ?? "");
    const ended = pool.end().finally(() => ending.delete(ended));
    ending.add(ended);
  };

  const take = async (index: number): Promise<Connection> => {
    const pool = pools[index] as pg.Pool;
    const client = await pool.connect();
    return {
      client,
      release: (error) => client.release(error),
      suspectHost: () => replace(index, pool),
    };
  };
  const connect = (): Promise<Connection> => {
    // That no connection can be opened is no reason to leave an idle one alone.
    const first = hosts.first();
    return hasIdle(pools[first]) ? take(first) : hosts.tryEach(take);
  };

  return {
    async connect() {
      const before = replacements;
      try {
        return await connect();
      } catch (error) {
        // A pool that is replaced forgets those who wait for it.
        if (!isPoolBusy(error) || replacements === before) throw error;
        return connect();
      }
    },
    async end() {
      isClosed = true;
      await Promise.all([...pools.map((pool) => pool.end()), ...ending]);
    },
  };
}

/** Whether one is left when all who wait already have theirs. */
const hasIdle = (pool: pg.Pool | undefined): boolean =>
  pool !== undefined && pool.idleCount > pool.waitingCount;
