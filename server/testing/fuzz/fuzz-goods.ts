import type { Db } from "../../src/db/database.ts";
import type { ServerSecrets } from "../../src/keys/server-secrets.ts";
import { secret } from "../../src/lib/secret.ts";
import { createCodeVault } from "../../src/vault/code-vault.ts";
import { fixedKeyring } from "../../src/vault/keyring.ts";
import { TEST_MASTER_KEY } from "../app/test-settings.ts";
import { addListPrice, addProducts } from "../builders/builders.ts";
import { addStock } from "../builders/fulfilment.ts";
import { addRouteRow, addSupplierRow } from "../builders/supply-builders.ts";

export const CARDS = ["card", "card-two", "card:odd.id-1"] as const;
export const TOP_UP = "top-up";
const UNSEEN = ["hidden", "inactive", "unlisted"] as const;
/** Listed for everyone until the world unlists it for its resellers. */
export const UNLISTED = "unlisted";
export const FUZZ_PRODUCTS: readonly string[] = [...CARDS, TOP_UP, ...UNSEEN, "sold-out", "unpriced"];
/** Live codes have this form, and nothing else that the server sends does. */
export const LIVE_CODE = /LIVECODE-[\w:.-]+-end/g;

const PRICE_MINOR = 250n;
const COST_MINOR = 80n;

/** What the goods are sold for and cost, and who supplies them. */
export type GoodsOptions = { priceMinor?: bigint; costMinor?: bigint; supplierName?: string };

/** Products that are available live, each with its share of the codes, and products that are not for some reason. */
export async function addFuzzGoods(
  db: Db,
  secrets: ServerSecrets,
  codes: number,
  { priceMinor = PRICE_MINOR, costMinor = COST_MINOR, supplierName }: GoodsOptions = {},
): Promise<void> {
  await addProducts(db, [
    ...CARDS.map((id) => ({ id })),
    { id: TOP_UP, inputFields: TOP_UP_FIELDS },
    { id: "hidden", hidden: true },
    { id: "inactive", active: false },
    { id: UNLISTED },
    { id: "sold-out", supply: "empty" },
    { id: "unpriced" },
  ]);
  for (const productId of FUZZ_PRODUCTS.filter((id) => id !== "unpriced"))
    await addListPrice(db, { productId, amountMinor: priceMinor });
  const supplierId = await addSupplierRow(db, supplierName === undefined ? {} : { name: supplierName });
  const codeVault = createCodeVault(fixedKeyring([secret(TEST_MASTER_KEY)]));
  const sold = [...CARDS, TOP_UP];
  for (const productId of sold) {
    await addRouteRow(db, { productId, supplierId, costMinor });
    const goods = Array.from({ length: Math.ceil(codes / sold.length) }, (_, index) => ({
      type: "code" as const,
      code: `LIVECODE-${productId}-${index}-end`,
      pin: String(1_000 + index),
    }));
    await addStock({ db, codeVault, secrets }, { productId, supplierId, goods });
  }
}

const select = (
  key: string,
  required: boolean,
  options: readonly (readonly [value: string, parentValue: string])[],
) => ({
  key,
  type: "select",
  required,
  regex: "",
  options: options.map(([value, parentValue]) => ({ value, label: value.toUpperCase(), parentValue })),
});

const TOP_UP_FIELDS = [
  { key: "account", type: "text", required: true, regex: "^[0-9]{4,12}$", options: [] },
  select("region", true, [
    ["eu", ""],
    ["us", ""],
  ]),
  select("server", false, [
    ["eu-1", "eu"],
    ["us-1", "us"],
  ]),
];

/** Valid values for the top-up. */
export const TOP_UP_VALUES = { account: "12345678", region: "eu", server: "eu-1" };
