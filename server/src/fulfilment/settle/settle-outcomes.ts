import type { Tx } from "../../db/database.ts";
import type { Ids } from "../../lib/ids.ts";
import { encodeGoods } from "../../suppliers/goods.ts";
import { deliveredPlace, quarantinePlace } from "../../vault/code-place.ts";
import type { CodeVault } from "../../vault/code-vault.ts";
import { groupPicked, type PickedCode, pickStock, type StockNeed, sealForUnits } from "../buy/take-stock.ts";
import {
  attemptText,
  decideSettlement,
  type NewCode,
  type Settlement,
  type SettlementState,
  stockText,
  type UnitOutcome,
  unitText,
} from "./decide-settlement.ts";
import {
  deliverStock,
  type EndedUnits,
  endAttempts,
  endUnits,
  findKnownDigests,
  insertCodes,
  insertEndedAttempts,
  noteAttempts,
  postponeUnits,
  readUnitStates,
} from "./settle-queries.ts";

/**
 * Writes the outcomes of units whose orders are locked: codes, attempts, units and lines. Returns how
 * many units of each order ended.
 */
export async function settleOutcomes(
  tx: Tx,
  vault: CodeVault,
  outcomes: readonly UnitOutcome[],
  ids: Ids,
  now: Date,
): Promise<EndedUnits[]> {
  if (outcomes.length === 0) return [];
  const needs = stockNeeds(outcomes);
  const picked = needs.length === 0 ? [] : await pickStock(tx, needs, now);
  const settlement = decideSettlement(await readState(tx, outcomes, picked, now), outcomes, ids);
  return write(tx, vault, settlement, picked, now);
}

function stockNeeds(outcomes: readonly UnitOutcome[]): StockNeed[] {
  const needs = new Map<string, StockNeed>();
  for (const outcome of outcomes) {
    if (outcome.kind !== "take-stock") continue;
    const { productId, route } = outcome;
    const key = stockText(productId, route.supplierId);
    const count = (needs.get(key)?.count ?? 0) + 1;
    needs.set(key, { productId, supplierId: route.supplierId, count });
  }
  return [...needs.values()];
}

async function readState(
  tx: Tx,
  outcomes: readonly UnitOutcome[],
  picked: readonly PickedCode[],
  now: Date,
): Promise<SettlementState> {
  const units = await readUnitStates(
    tx,
    outcomes.map(({ unit }) => unit),
  );
  const digests = outcomes.flatMap((one) => (one.kind === "bought" && one.digest ? [one.digest] : []));
  return {
    waiting: new Set(units.filter(({ status }) => status === "waiting").map(unitText)),
    openAttempts: new Set(
      units.flatMap((unit) => (unit.openNumber === null ? [] : [attemptText(unit, unit.openNumber)])),
    ),
    picked: groupPicked(picked),
    knownDigests: new Set(digests.length === 0 ? [] : await findKnownDigests(tx, digests)),
    now,
  };
}

async function write(
  tx: Tx,
  vault: CodeVault,
  settlement: Settlement,
  picked: readonly PickedCode[],
  now: Date,
): Promise<EndedUnits[]> {
  const { codesTaken, codesNew, attemptsNew, attemptsEnded, attemptsOpen, unitsEnded, unitsLater } =
    settlement;
  if (codesTaken.length > 0) await deliverStock(tx, sealForUnits(vault, picked, codesTaken), now);
  if (codesNew.length > 0) {
    const rows = codesNew.map((code) => sealNew(vault, code));
    await insertCodes(tx, rows, now);
  }
  if (attemptsNew.length > 0) await insertEndedAttempts(tx, attemptsNew, now);
  if (attemptsEnded.length > 0) await endAttempts(tx, attemptsEnded, now);
  if (attemptsOpen.length > 0) await noteAttempts(tx, attemptsOpen, now);
  if (unitsLater.length > 0) await postponeUnits(tx, unitsLater);
  return unitsEnded.length > 0 ? endUnits(tx, unitsEnded, now) : [];
}

function sealNew(vault: CodeVault, code: NewCode) {
  const { content, ...rest } = code;
  const blank = { testCode: null, sealed: null, supplierId: null, digest: null, expiresAt: null };
  if ("test" in content)
    return { ...rest, ...blank, environment: "test" as const, type: content.type, testCode: content.test };
  const goods = content.goods.reveal();
  const place =
    code.quarantineReason === null
      ? deliveredPlace(code, code.productId)
      : quarantinePlace(code.id, code, code.productId);
  return {
    ...rest,
    ...blank,
    environment: "live" as const,
    type: goods.type,
    sealed: vault.seal(place, encodeGoods(goods)),
    supplierId: content.supplierId,
    digest: content.digest,
    expiresAt: goods.type === "topup" ? null : (goods.expiresAt ?? null),
  };
}
