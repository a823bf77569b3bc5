import type { Db } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { loadServerSecrets } from "../keys/server-secrets.ts";
import { systemClock } from "../lib/clock.ts";
import { secret } from "../lib/secret.ts";
import { refreshSupply } from "../suppliers/refresh-supply.ts";
import { createCodeVault } from "../vault/code-vault.ts";
import { fixedKeyring } from "../vault/keyring.ts";
import { addBuyer, addCard, type Buyer, CARD } from "./buyers.ts";
import { addSealedCodes } from "./sealed-codes.ts";
import { addRouteRow } from "./supply-builders.ts";
import { TEST_MASTER_KEY } from "./test-app.ts";

/** An empty database gets buyers with money, one for each amount, and codes in stock. */
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
