import { setListing } from "../../src/catalog/prices/set-listing.ts";
import type { Db } from "../../src/db/database.ts";
import { SCOPES, type Scope, type Tenant } from "../../src/http/caller.ts";
import { createKey } from "../../src/keys/create-key.ts";
import { generateKey } from "../../src/keys/key-format.ts";
import { revokeKey } from "../../src/keys/revoke-key.ts";
import { loadServerSecrets, type ServerSecrets } from "../../src/keys/server-secrets.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { secret } from "../../src/lib/secret.ts";
import { createReseller } from "../../src/resellers/create-reseller.ts";
import { moveFunds } from "../../src/wallet/move-funds.ts";
import { TEST_MASTER_KEY } from "../app/test-settings.ts";
import { addFuzzGoods, type GoodsOptions, UNLISTED } from "./fuzz-goods.ts";

/** The caller. What a key can see depends only on its tenant. */
export type FuzzKey = {
  name: string;
  key: string | undefined;
  /** The tenant whose data it reads, such as `ann live`. Undefined if the key is always refused. */
  tenant: string | undefined;
  refusal: "unauthenticated" | "ip_not_allowed" | undefined;
  scopes: readonly Scope[];
};

export type Owner = FuzzKey & { key: string; tenant: string };

export type FuzzWorld = {
  /** The resellers. */
  teams: readonly { name: string; resellerId: string }[];
  keys: readonly FuzzKey[];
  /** One key of each tenant with full access. */
  owners: readonly Owner[];
};

const FUNDS = "900000000.00";

/** Two resellers with both environments, and every kind of invalid key. */
export async function createFuzzWorld(
  db: Db,
  codesInStock: number,
  goods: GoodsOptions = {},
): Promise<FuzzWorld> {
  const secrets = await loadServerSecrets(db, [secret(TEST_MASTER_KEY)]);
  await addFuzzGoods(db, secrets, codesInStock, goods);
  const sellers: Seller[] = [];
  for (const name of ["ann", "bob"]) sellers.push(...(await addSeller(db, name)));
  const owners = await Promise.all(
    sellers.map(async (seller): Promise<Owner> => {
      const { key } = await addKey(db, secrets, seller);
      return { name: seller.name, key, tenant: seller.name, refusal: undefined, scopes: SCOPES };
    }),
  );
  const [annLive, annTest] = sellers as [Seller, Seller];
  return {
    teams: sellers
      .filter(({ environment }) => environment === "live")
      .map(({ name, resellerId }) => ({ name: name.split(" ")[0] ?? "", resellerId })),
    owners,
    keys: [
      ...owners,
      await narrowKey(db, secrets, annLive, "catalog:read"),
      await narrowKey(db, secrets, annTest, "orders:read"),
      ...(await refusedKeys(db, secrets, annLive)),
    ],
  };
}

type Seller = Tenant & { name: string };

async function addSeller(db: Db, name: string): Promise<Seller[]> {
  const about = { name, currency: "USD", email: `${name}@reseller.example` };
  const { id: resellerId } = await createReseller(db, systemClock, about);
  await setListing(db, { resellerId, productId: UNLISTED, listed: false });
  const live = { resellerId, environment: "live" } as const;
  await moveFunds(db, systemClock, live, { direction: "credit", amount: FUNDS, note: "" });
  return [
    { ...live, name: `${name} live` },
    { resellerId, environment: "test", name: `${name} test` },
  ];
}

type KeyChanges = { scopes?: Scope[]; allowedIps?: string[]; expiresAt?: Date };

const addKey = (
  db: Db,
  { pepper }: ServerSecrets,
  { name: _, ...tenant }: Seller,
  changes: KeyChanges = {},
) =>
  createKey(
    { db, clock: systemClock, pepper },
    { name: "", scopes: SCOPES, allowedIps: [], expiresAt: undefined, ...tenant, ...changes },
  );

async function narrowKey(db: Db, secrets: ServerSecrets, seller: Seller, scope: Scope): Promise<FuzzKey> {
  const { key } = await addKey(db, secrets, seller, { scopes: [scope] });
  return { name: `${seller.name} ${scope}`, key, tenant: seller.name, refusal: undefined, scopes: [scope] };
}

async function refusedKeys(db: Db, secrets: ServerSecrets, seller: Seller): Promise<FuzzKey[]> {
  const revoked = await addKey(db, secrets, seller);
  await revokeKey(db, systemClock, revoked.id);
  const expired = await addKey(db, secrets, seller, { expiresAt: new Date(0) });
  const locked = await addKey(db, secrets, seller, { allowedIps: ["203.0.113.0/24"] });
  const refused = (name: string, key: string | undefined, refusal: FuzzKey["refusal"]): FuzzKey => ({
    name,
    key,
    tenant: undefined,
    refusal,
    scopes: SCOPES,
  });
  return [
    refused("revoked", revoked.key, "unauthenticated"),
    refused("expired", expired.key, "unauthenticated"),
    refused("of another address", locked.key, "ip_not_allowed"),
    refused("that nobody has", generateKey("live"), "unauthenticated"),
    refused("junk", "sc_live_junk", "unauthenticated"),
    refused("none", undefined, "unauthenticated"),
  ];
}
