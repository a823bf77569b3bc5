import type { Tx } from "../../db/database.ts";
import type { Ids } from "../../lib/ids.ts";
import { encodeGoods, type Goods } from "../../suppliers/goods.ts";
import { toRule } from "../../suppliers/look-ups/not-found-rule.ts";
import { deliveredPlace, quarantinePlace } from "../../vault/code-place.ts";
import type { CodeVault } from "../../vault/code-vault.ts";
import { createPacer } from "../../work/pace.ts";
import {
  atBatchCost,
  groupPicked,
  type PickedCode,
  pickStock,
  type StockNeed,
  sealForUnits,
} from "../buy/take-stock.ts";
import { sandboxGoods } from "../sealing/sandbox-goods.ts";
import { inVault, type RecipientKey, type StoredSeal, sealToReseller } from "../sealing/seal-to-reseller.ts";
import { findRecipients } from "../sealing/sealing-queries.ts";
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
  lockNotMade,
  markNotMade,
  noteAttempts,
  postponeUnits,
  readUnitStates,
  type UnitState,
  writeOffAttempts,
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
  // Suppliers are locked after orders and before stock, as everywhere.
  const notMadeRoom = await lockNotMadeRoom(tx, outcomes, now);
  const needs = stockNeeds(outcomes);
  const picked = needs.length === 0 ? [] : await pickStock(tx, needs, now);
  const settlement = decideSettlement(await readState(tx, outcomes, picked, notMadeRoom, now), outcomes, ids);
  await writeGoods(tx, vault, settlement, picked, now);
  return writeUnits(tx, settlement, now);
}

/** The keys that the codes of this settlement are sealed to, by order. */
async function recipientsOf(
  tx: Tx,
  { codesTaken, codesNew }: Settlement,
): Promise<ReadonlyMap<string, RecipientKey>> {
  const delivered = [...codesTaken, ...codesNew.filter(({ quarantineReason }) => quarantineReason === null)];
  const orderIds = [...new Set(delivered.map(({ orderId }) => orderId))];
  return orderIds.length === 0 ? new Map() : findRecipients(tx, orderIds);
}

export function stockNeeds(outcomes: readonly UnitOutcome[]): StockNeed[] {
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
  notMadeRoom: ReadonlyMap<string, number>,
  now: Date,
): Promise<SettlementState> {
  const units = await readUnitStates(
    tx,
    outcomes.map(({ unit }) => unit),
  );
  const digests = outcomes.flatMap((one) => (one.kind === "bought" && one.digest ? [one.digest] : []));
  return {
    waiting: new Set(units.filter(({ status }) => status === "waiting").map(unitText)),
    openAttempts: new Set(units.flatMap((unit) => attemptsOf(unit, "open"))),
    enteredAttempts: new Set(units.flatMap((unit) => attemptsOf(unit, "entered"))),
    notMade: new Set(units.flatMap((unit) => attemptsOf(unit, "not_made"))),
    notMadeRoom,
    picked: groupPicked(picked),
    knownDigests: new Set(digests.length === 0 ? [] : await findKnownDigests(tx, digests)),
    now,
  };
}

const attemptsOf = ({ attempts, ...unit }: UnitState, state: string): string[] =>
  (attempts ?? []).filter((one) => one.state === state).map(({ number }) => attemptText(unit, number));

const HOUR_MS = 3_600_000;

/** Locks the suppliers that lost a purchase, so that two workers cannot both count the last one of an hour. */
async function lockNotMadeRoom(
  tx: Tx,
  outcomes: readonly UnitOutcome[],
  now: Date,
): Promise<ReadonlyMap<string, number>> {
  const ids = outcomes.flatMap((one) =>
    one.kind === "not-made" && !one.isConfirmed ? [one.supplierId] : [],
  );
  if (ids.length === 0) return new Map();
  const counts = await lockNotMade(tx, [...new Set(ids)], new Date(now.getTime() - HOUR_MS));
  return new Map(counts.map(({ id, count, ...stored }) => [id, toRule(stored).perHour - count]));
}

/** Seals and writes the codes, and the attempts that brought them. */
async function writeGoods(
  tx: Tx,
  vault: CodeVault,
  settlement: Settlement,
  picked: readonly PickedCode[],
  now: Date,
): Promise<void> {
  const { codesTaken, codesNew, attemptsNew } = settlement;
  const recipients = await recipientsOf(tx, settlement);
  if (codesTaken.length > 0)
    await deliverStock(tx, await sealForUnits(vault, picked, codesTaken, recipients), now);
  if (codesNew.length > 0) {
    const pacer = createPacer();
    const rows: ReturnType<typeof sealNew>[] = [];
    for (const code of codesNew) {
      if (pacer.isDue()) await pacer.pause();
      rows.push(sealNew(vault, code, recipients.get(code.orderId)));
    }
    await insertCodes(tx, rows, now);
  }
  if (attemptsNew.length > 0) await insertEndedAttempts(tx, atCosts(settlement, picked), now);
}

/** The attempts at the operator's own stock, each at the cost of the code that it took. */
function atCosts({ attemptsNew, codesTaken }: Settlement, picked: readonly PickedCode[]) {
  const codes = new Map(picked.map((code) => [code.id, code]));
  const taken = new Map(codesTaken.map((code) => [unitText(code), codes.get(code.id)]));
  return attemptsNew.map((one) => ({ ...one, route: atBatchCost(one.route, taken.get(unitText(one))) }));
}

async function writeUnits(tx: Tx, settlement: Settlement, now: Date): Promise<EndedUnits[]> {
  const { attemptsEnded, attemptsOpen, attemptsWrittenOff, attemptsNotMade, unitsEnded, unitsLater } =
    settlement;
  if (attemptsEnded.length > 0) await endAttempts(tx, attemptsEnded, now);
  if (attemptsOpen.length > 0) await noteAttempts(tx, attemptsOpen, now);
  if (attemptsWrittenOff.length > 0) await writeOffAttempts(tx, attemptsWrittenOff, now);
  if (attemptsNotMade.length > 0) await markNotMade(tx, attemptsNotMade, now);
  if (unitsLater.length > 0) await postponeUnits(tx, unitsLater);
  return unitsEnded.length > 0 ? endUnits(tx, unitsEnded, now) : [];
}

function sealNew(vault: CodeVault, code: NewCode, recipient: RecipientKey | undefined) {
  const { content, ...rest } = code;
  const unsealed = { sealed: null, kid: null, enc: null, ciphertext: null };
  const blank = { ...unsealed, testCode: null, supplierId: null, digest: null, expiresAt: null };
  if ("test" in content) {
    const row = {
      ...rest,
      ...blank,
      environment: "test" as const,
      type: content.type,
      testCode: content.test,
    };
    if (!recipient || content.type === "topup") return row;
    return { ...row, ...sealToReseller(recipient, code, sandboxGoods(content.test)) };
  }
  const goods = content.goods.reveal();
  return {
    ...rest,
    ...blank,
    environment: "live" as const,
    type: goods.type,
    ...sealGoods(vault, code, goods, recipient),
    supplierId: content.supplierId,
    digest: content.digest,
    expiresAt: goods.type === "topup" ? null : (goods.expiresAt ?? null),
  };
}

/** A receipt of a top-up is not a code: it says what was done and stays readable. */
function sealGoods(
  vault: CodeVault,
  code: NewCode,
  goods: Goods,
  recipient: RecipientKey | undefined,
): StoredSeal {
  const plain = encodeGoods(goods);
  if (code.quarantineReason !== null)
    return inVault(vault.seal(quarantinePlace(code.id, code, code.productId), plain));
  return recipient && goods.type !== "topup"
    ? sealToReseller(recipient, code, plain)
    : inVault(vault.seal(deliveredPlace(code, code.productId), plain));
}
