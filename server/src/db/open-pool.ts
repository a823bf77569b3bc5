import pg from "pg";
import { destroyClient } from "./destroy-client.ts";
import type { Hosts } from "./hosts.ts";
import { prepareSession } from "./prepare-session.ts";

/** Connections to the host that accepts writes. */
export type PrimaryPool = {
  connect(): Promise<Connection>;
  end(): Promise<void>;
};

export type Connection = {
  client: pg.PoolClient;
  /** With an error, the connection is discarded and never reused. */
  release(error?: Error): void;
  /** Stops trusting the host and all connections to it. */
  suspectHost(): void;
};

export type PoolSettings = pg.PoolConfig & {
  /** 0, the default, disables the limit. */
  statementTimeoutMs?: number;
};

/** A pool with all of its connections, including those being opened. */
type HostPool = {
  pool: pg.Pool;
  clients: Set<pg.Client>;
  /** Callers that wait for a connection. The driver's pool forgets them when it ends. */
  waiting: Set<(error: Error) => void>;
};

/** How often a caller retries if its pool was replaced or its host was suspected while it waited. */
const TRIES_MAX = 3;
/** Starts like the driver's own message, so that it is handled the same way. */
const GIVEN_UP = "Connection terminated: its host was given up";

/**
 * One pool for each host, of which one is in use. Each new connection is prepared in one round trip and used only if
 * its server can be used; see hosts.ts.
 */
export function openPool(
  hosts: Hosts,
  settings: PoolSettings,
  onConnectionLost: (error: Error) => void,
): PrimaryPool {
  const open = (connectionString: string): HostPool =>
    openHostPool(hosts, settings, connectionString, onLost);
  const onLost = (pool: pg.Pool, error: Error): void => {
    if (pools.some((one) => one.pool === pool)) onConnectionLost(error);
  };
  const pools = hosts.urls.map(open);
  /** Replaced pools, until their last connection is closed. */
  const ending = new Map<HostPool, Promise<void>>();
  let replacements = 0;
  let isClosed = false;

  const replace = (index: number, old: HostPool): void => {
    // Several callers notice at the same time. The first one has already replaced the pool.
    if (isClosed || pools[index] !== old) return;
    replacements += 1;
    pools[index] = open(hosts.urls[index] ?? "");
    ending.set(
      old,
      old.pool.end().finally(() => ending.delete(old)),
    );
    for (const giveUp of old.waiting) giveUp(new Error(GIVEN_UP));
  };
  const leaving = hosts.onLeave(() => {
    for (const [index, old] of [...pools.entries()]) replace(index, old);
    for (const { clients } of ending.keys()) for (const client of clients) destroyClient(client);
  });

  const take = async (index: number): Promise<Connection> => {
    const own = pools[index] as HostPool;
    const client = hasIdle(own) ? await own.pool.connect() : await connectOrGiveUp(own);
    return {
      client,
      release: (error) => client.release(error),
      suspectHost() {
        hosts.suspect(index);
        if (hosts.urls.length > 1) replace(index, own);
      },
    };
  };

  /** Waits for a connection to a good host, and again if the host is no longer good by then. */
  const wait = async (): Promise<Connection> => {
    for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
      const before = replacements;
      try {
        const connection = await hosts.tryEach(take);
        if (hosts.isTrusted()) return connection;
        connection.release();
      } catch (error) {
        if (replacements === before || tries === TRIES_MAX) throw error;
      }
    }
    throw new Error(GIVEN_UP);
  };

  return {
    connect() {
      // An idle connection is usable even if no new one can be opened.
      const first = hosts.first();
      return hosts.isTrusted() && hasIdle(pools[first]) ? take(first) : wait();
    },
    async end() {
      isClosed = true;
      leaving.off();
      await Promise.all([...pools.map(({ pool }) => pool.end()), ...ending.values()]);
    },
  };
}

function openHostPool(
  hosts: Hosts,
  { statementTimeoutMs = 0, ...config }: PoolSettings,
  connectionString: string,
  onLost: (pool: pg.Pool, error: Error) => void,
): HostPool {
  const clients = new Set<pg.Client>();
  /** The driver's pool creates its clients itself and reports one only when it is connected. */
  function Client(options: pg.ClientConfig): pg.Client {
    const client = new pg.Client(options);
    clients.add(client);
    client.once("end", () => clients.delete(client));
    return client;
  }
  const pool = new pg.Pool({
    ...config,
    connectionString,
    Client: Client as unknown as new () => pg.Client,
    onConnect: async (client) => {
      await hosts.admit(client, await prepareSession(client, { statementTimeoutMs }));
    },
  });
  // Without a listener a terminated backend would crash the process. If the connection is in use, the statement
  // fails and the event adds nothing.
  pool.on("error", (error) => onLost(pool, error));
  pool.on("connect", (client) => client.on("error", () => {}));
  return { pool, clients, waiting: new Set() };
}

/** Waits for a connection until the pool is replaced. */
function connectOrGiveUp({ pool, waiting }: HostPool): Promise<pg.PoolClient> {
  return new Promise((resolve, reject) => {
    let isGivenUp = false;
    const giveUp = (error: Error): void => {
      isGivenUp = true;
      waiting.delete(giveUp);
      reject(error);
    };
    waiting.add(giveUp);
    pool.connect().then((client) => {
      waiting.delete(giveUp);
      if (isGivenUp) client.release(true);
      else resolve(client);
    }, giveUp);
  });
}

/** Whether a connection is left after all waiting callers have theirs. */
const hasIdle = (own: HostPool | undefined): boolean =>
  own !== undefined && own.pool.idleCount > own.pool.waitingCount;
