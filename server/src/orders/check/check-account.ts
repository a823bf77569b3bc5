import { checkInputValues, toInputValues } from "../../catalog/input-values.ts";
import type { ProductReader } from "../../catalog/prices/priced-products.ts";
import type { VisibleProductRow } from "../../catalog/queries.ts";
import type { Db } from "../../db/database.ts";
import type { Caller } from "../../http/caller.ts";
import type { Clock } from "../../lib/clock.ts";
import { isPlainText } from "../../lib/plain-text.ts";
import { notFound, Problem } from "../../lib/problem.ts";
import type { Json } from "../../lib/strict-json.ts";
import { testAccount } from "../../sandbox/test-account.ts";
import { mapFields } from "../../suppliers/calls/map-fields.ts";
import type { OpenSuppliers } from "../../suppliers/open-suppliers.ts";
import type { AccountCheck } from "../../suppliers/supplier.ts";
import { findCheckers } from "./find-checkers.ts";

export type CheckDeps = {
  db: Db;
  clock: Clock;
  readProducts: ProductReader;
  openSupplier: OpenSuppliers["open"];
};

/** For all suppliers that are asked, together. */
export const CHECK_TIMEOUT_MS = 5_000;
const DISPLAY_NAME_MAX_CHARACTERS = 100;
const UNKNOWN: AccountCheck = { result: "unknown" };

/**
 * Asks whether the account of a top-up exists, before anything is bought. A supplier that cannot tell, fails or takes too long
 * leaves it unknown, which means nothing. No transaction is open meanwhile.
 */
export async function checkAccount(
  deps: CheckDeps,
  caller: Caller,
  productId: string,
  inputFields: { [key: string]: Json },
): Promise<AccountCheck> {
  const { products } = await deps.readProducts(caller, [productId]);
  const product = products.get(productId);
  if (!product) throw notFound();
  const values = readValues(product, inputFields);
  const account = accountOf(product, values);
  // Without an account there is nothing to check.
  if (account === undefined) return UNKNOWN;
  if (caller.environment === "test") return testAccount(account);
  const checkers = await findCheckers(deps.db, productId, deps.clock.now());
  return before(CHECK_TIMEOUT_MS, askInTurn(deps, checkers, values));
}

function readValues(
  product: VisibleProductRow,
  inputFields: { [key: string]: Json },
): Record<string, string> {
  const { values, badKeys } = toInputValues(inputFields);
  const errors = [
    ...badKeys.map((key) => ({
      pointer: `/inputFields/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`,
      code: "invalid",
      detail: `The value of ${JSON.stringify(key)} must be a string or a whole number.`,
    })),
    ...checkInputValues(product.inputFields, values, "/inputFields"),
  ];
  const [first] = errors;
  if (first) throw new Problem("invalid_input_field", first.detail, { errors });
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
}

/** The first value that a person types. A choice from a list is part of an account at most. */
const accountOf = ({ inputFields }: VisibleProductRow, values: Record<string, string>): string | undefined =>
  inputFields.filter(({ type }) => type !== "select").map(({ key }) => values[key])[0];

async function askInTurn(
  { openSupplier }: CheckDeps,
  checkers: Awaited<ReturnType<typeof findCheckers>>,
  inputFields: Record<string, string>,
): Promise<AccountCheck> {
  for (const { supplierId, sku, fieldMap } of checkers) {
    const opened = await openSupplier(supplierId);
    const mapped = mapFields(inputFields, fieldMap);
    if (mapped === undefined) continue;
    const check = await opened?.supplier.checkAccount?.({ sku, inputFields: mapped }).catch(() => UNKNOWN);
    if (check && check.result !== "unknown") return withSafeName(check);
  }
  return UNKNOWN;
}

/** A name was written by a player. One that is too long or holds characters that cannot be seen is left out. */
function withSafeName({ result, displayName }: AccountCheck): AccountCheck {
  const isSafe =
    displayName !== undefined &&
    displayName !== "" &&
    [...displayName].length <= DISPLAY_NAME_MAX_CHARACTERS &&
    isPlainText(displayName);
  return isSafe && result === "valid" ? { result, displayName } : { result };
}

function before(timeoutMs: number, asked: Promise<AccountCheck>): Promise<AccountCheck> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<AccountCheck>((resolve) => {
    timer = setTimeout(() => resolve(UNKNOWN), timeoutMs);
  });
  return Promise.race([asked, tooLate]).finally(() => clearTimeout(timer));
}
