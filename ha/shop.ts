import { connectDatabase, type Db } from "../server/src/db/database.ts";
import { migrate } from "../server/src/db/migrate.ts";
import { createKey } from "../server/src/keys/create-key.ts";
import { revokeKey } from "../server/src/keys/revoke-key.ts";
import { loadServerSecrets } from "../server/src/keys/server-secrets.ts";
import { systemClock } from "../server/src/lib/clock.ts";
import { secret } from "../server/src/lib/secret.ts";
import { createReseller } from "../server/src/resellers/create-reseller.ts";
import { TEST_MASTER_KEY } from "../server/testing/app/test-settings.ts";
import { addCard, type Buyer } from "../server/testing/builders/buyers.ts";
import { ask } from "./ask.ts";
import type { PatroniCluster } from "./cluster.ts";
import type { Member } from "./member.ts";

/** What the callers buy, who they are, and how a key of theirs is revoked. */
export type Shop = {
  buyers: readonly Buyer[];
  /** The members in the order of the cluster, from this one on. */
  hostsUrl(first: number): string;
  urlOf(port: number): string;
  addKey(leader: Member): Promise<{ id: string; key: string }>;
  /** As an operator does it whose process reaches this member. */
  revoke(leader: Member, keyId: string): Promise<void>;
};

const BUYERS = 4;
const SETUP_TIMEOUT_MS = 20_000;

/** A database of its own for Scrip, owned by a role that is no superuser, with a product and some resellers. */
export async function openShop(cluster: PatroniCluster, leader: Member): Promise<Shop> {
  const admin = cluster.superuserUrl(leader, "postgres");
  await ask(admin, `create role scrip login password '${cluster.password}'`, SETUP_TIMEOUT_MS);
  await ask(admin, "create database scrip owner scrip", SETUP_TIMEOUT_MS);
  const credentials = `scrip:${cluster.password}`;
  const urlOf = (port: number) => `postgres://${credentials}@127.0.0.1:${port}/scrip`;
  const withDb = async <T>(member: Member, work: (db: Db) => Promise<T>): Promise<T> => {
    const db = connectDatabase({
      connectionString: urlOf(member.postgresPort),
      applicationName: "scrip ha",
      poolSize: 2,
      onConnectionLost: () => {},
    });
    try {
      return await work(db);
    } finally {
      await db.close();
    }
  };
  const addKeyTo = async (db: Db, resellerId: string) => {
    const { pepper } = await loadServerSecrets(db, [secret(TEST_MASTER_KEY)]);
    const about = { name: "", scopes: undefined, allowedIps: [], expiresAt: undefined };
    const tenant = { resellerId, environment: "test" } as const;
    return createKey({ db, clock: systemClock, pepper }, { ...tenant, ...about });
  };
  const buyers = await withDb(leader, async (db) => {
    await migrate(db);
    await addCard(db);
    const made: Buyer[] = [];
    for (let count = 0; count < BUYERS; count += 1) {
      const about = { name: `Buyer ${count}`, currency: "USD", email: "owner@buyer.example" };
      const { id: resellerId } = await createReseller(db, systemClock, about);
      const { id: keyId, key } = await addKeyTo(db, resellerId);
      made.push({ resellerId, environment: "test", keyId, key });
    }
    return made;
  });
  return {
    buyers,
    urlOf,
    hostsUrl(first) {
      const hosts = cluster.members.map((_, step) => {
        const { postgresPort = 0 } = cluster.members[(first + step) % cluster.members.length] ?? {};
        return `127.0.0.1:${postgresPort}`;
      });
      return `postgres://${credentials}@${hosts.join(",")}/scrip?target_session_attrs=read-write`;
    },
    addKey: (member) => withDb(member, (db) => addKeyTo(db, buyers[0]?.resellerId ?? "")),
    revoke: (member, keyId) =>
      withDb(member, async (db) => {
        await revokeKey(db, systemClock, keyId);
      }),
  };
}
