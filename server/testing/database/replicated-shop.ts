import type { Db } from "../../src/db/database.ts";
import { migrate } from "../../src/db/migrate.ts";
import { loadServerSecrets } from "../../src/keys/server-secrets.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { secret } from "../../src/lib/secret.ts";
import { refreshSupply } from "../../src/suppliers/refresh-supply.ts";
import { createCodeVault } from "../../src/vault/code-vault.ts";
import { fixedKeyring } from "../../src/vault/keyring.ts";
import { TEST_MASTER_KEY } from "../app/test-settings.ts";
import { addBuyer, addCard, type Buyer, CARD } from "../builders/buyers.ts";
import { addSealedCodes } from "../builders/sealed-codes.ts";
import { addRouteRow } from "../builders/supply-builders.ts";

/** Fills an empty database with buyers, one for each amount, and codes in stock. */
export async function fillReplicatedShop(
  db: Db,
  { funds, stock }: { funds: readonly string[]; stock: number },
): Promise<Buyer[]> {
  await migrate(db);
  const masterKeys = [secret(TEST_MASTER_KEY)] as const;
  const secrets = await loadServerSecrets(db, masterKeys);
  await addCard(db);
  const codeVault = createCodeVault(fixedKeyring(masterKeys));
  await addSealedCodes(db, codeVault, { prefix: "stock", count: stock, state: "stock" });
  await addRouteRow(db, { productId: CARD, supplierId: "sup_stock" });
  await refreshSupply(db, [CARD]);
  return Promise.all(funds.map((amount) => addBuyer({ db, clock: systemClock, secrets }, amount)));
}
