import type { Area } from "./mutant.ts";
import { AHEAD } from "./mutants/ahead.ts";
import { BUYING } from "./mutants/buying.ts";
import { DEPOSITS } from "./mutants/deposits.ts";
import { DIRECT } from "./mutants/direct.ts";
import { KEYS } from "./mutants/keys.ts";
import { PEOPLE } from "./mutants/people.ts";
import { PLACEMENT } from "./mutants/placement.ts";
import { PRICES } from "./mutants/prices.ts";
import { REFUNDS } from "./mutants/refunds.ts";
import { SCHEMA } from "./mutants/schema.ts";
import { SETTLING } from "./mutants/settling.ts";
import { TAKING } from "./mutants/taking.ts";
import { VAULT } from "./mutants/vault.ts";
import { WALLETS } from "./mutants/wallets.ts";
import { WEBHOOKS } from "./mutants/webhooks.ts";

/** Every mutant, by the part of the product that it is in. */
export const AREAS: readonly Area[] = [
  PLACEMENT,
  AHEAD,
  WALLETS,
  TAKING,
  BUYING,
  SETTLING,
  REFUNDS,
  VAULT,
  DIRECT,
  KEYS,
  PEOPLE,
  WEBHOOKS,
  DEPOSITS,
  PRICES,
  SCHEMA,
];
