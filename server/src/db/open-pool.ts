import pg from "pg";
import { destroyClient } from "./destroy-client.ts";
import type { Hosts } from "./hosts.ts";
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

/** A pool of which all connections are known, those too that are being opened. */
type HostPool = {
  pool: pg.Pool;
  clients: Set<pg.Client>;
  /** Those who wait for a connection. The driver's pool forgets them when it ends. */
  waiting: Set<(error: Error) => void>;
};

/** How often a caller begins again when its pool was replaced, or its host came into doubt, while it waited. */
const TRIES_MAX = 3;
/** Begins like the driver's own, so that it means the same to everybody who reads it. */
const GIVEN_UP = "Connection terminated: its host was given up";

/**
 * One pool for each host, of which one is in use. Each new connection is prepared in one round trip, and used only if its
 * server may be used; see hosts.ts.
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
  /** Those that were replaced, until their last connection is closed. */
  const ending = new Map<HostPool, Promise<void>>();
  let replacements = 0;
  let isClosed = false;

  const replace = (index: number, old: HostPool): void => {
    // Many find out at the same time; the first of them has done it.
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

  /** Waits for a connection to whichever host is good, and again when that took so long that it no longer is. */
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
      // That no connection can be opened is no reason to leave an idle one alone.
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
  /** The driver's pool makes its clients by itself, and tells of one when it is connected. */
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
  // Without a listener a backend that dies takes the process with it, whether its connection is idle or in use. In use
  // the statement fails, and the event tells nothing more.
  pool.on("error", (error) => onLost(pool, error));
  pool.on("connect", (client) => client.on("error", () => {}));
  return { pool, clients, waiting: new Set() };
}

/** Waits for a connection, until the pool is replaced. */
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

/** Whether one is left when all who wait already have theirs. */
const hasIdle = (own: HostPool | undefined): boolean =>
  own !== undefined && own.pool.idleCount > own.pool.waitingCount;
