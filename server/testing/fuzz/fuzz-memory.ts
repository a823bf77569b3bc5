import type { Random } from "../seed.ts";
import { FUZZ_PRODUCTS } from "./fuzz-goods.ts";
import { createFuzzOwners, findWords, type Told } from "./fuzz-owners.ts";
import type { FuzzWorld } from "./fuzz-world.ts";

/** What the fuzzer has learned so far, by tenant. */
export type FuzzMemory = {
  /** A known value of this kind for the tenant: `orders`, `webhooks`, `cursor listOrders`, `etag`… */
  recall(random: Random, tenant: string, kind: string): string;
  note(tenant: string, kind: string, value: string): void;
  /** Stops using a value: what was deleted only returns 404. */
  forget(tenant: string, kind: string, value: string): void;
  /** Remembers ids, cursors and so on. Throws if a response contains something of another tenant. */
  learn(tenant: string, told: Told): void;
  /** The tenant that an id or a cursor belongs to, if it was seen. */
  ownerOf(word: string): string | undefined;
  tenants: readonly string[];
};

const REMEMBERED_MAX = 64;
const KINDS: Readonly<Record<string, string>> = {
  ord: "orders",
  whk: "webhooks",
  dep: "deposits",
  evt: "events",
  dlv: "deliveries",
  ent: "entries",
  cod: "codes",
  req: "requests",
};
/** They show the paths that a tenant asked for, with ids that it may have made up or taken from elsewhere. */
const REQUEST_LOG = ["listRequests", "getRequest"];

export function createFuzzMemory(world: FuzzWorld): FuzzMemory {
  const tenants = world.owners.map(({ tenant }) => tenant);
  const owners = createFuzzOwners(tenants);
  const pools = new Map<string, string[]>();

  const note = (tenant: string, kind: string, value: string): void => {
    const pool = pools.get(`${tenant} ${kind}`) ?? [];
    pools.set(`${tenant} ${kind}`, pool);
    if (pool.length >= REMEMBERED_MAX) pool.shift();
    pool.push(value);
  };

  return {
    tenants,
    note,
    ownerOf: owners.ownerOf,
    forget(tenant, kind, value) {
      const pool = pools.get(`${tenant} ${kind}`) ?? [];
      // The last one stays, so that there is always one to choose.
      if (pool.length > 1 && pool.includes(value)) pool.splice(pool.indexOf(value), 1);
    },
    recall(random, tenant, kind) {
      const pool = kind === "products" ? FUZZ_PRODUCTS : pools.get(`${tenant} ${kind}`);
      // Always one draw, so that later draws do not depend on what has been learned.
      return random.pick(pool ?? [`no-${kind}`]);
    },
    learn(tenant, told) {
      const { headers } = told.reply;
      const found = findWords(told.reply);
      for (const secret of owners.checkSecrets(tenant, told, found)) note(tenant, "secret", secret);
      const isLog = REQUEST_LOG.includes(told.operationId);
      for (const { id, prefix } of found.ids) {
        // Every answer has the id of its request, also one to a caller without a valid key.
        const isOwned = !isLog && (prefix !== "req" || tenants.includes(tenant));
        if (isOwned && owners.claim(tenant, told, id)) note(tenant, KINDS[prefix] ?? prefix, id);
      }
      const { cursor } = found;
      if (cursor !== undefined && owners.claim(tenant, told, cursor))
        note(tenant, `cursor ${told.operationId}`, cursor);
      if (headers.etag !== undefined) note(tenant, "etag", headers.etag);
    },
  };
}
