import { ACTOR_KINDS } from "../../lib/actor.ts";
import { toSafeInteger } from "../../lib/money.ts";
import { Problem } from "../../lib/problem.ts";
import { ORDINARY_FATE, type OrderFate } from "../../sandbox/order-fate.ts";
import type { Placement } from "../placing/decide-placements.ts";
import type { PricedLine, PricedOrder } from "../price-order.ts";
import {
  packBytes,
  packProblem,
  packValues,
  readAmount,
  readBytes,
  readFlag,
  readList,
  readNumber,
  readOneOf,
  readProblem,
  readRecord,
  readReferred,
  readText,
  readTextOrNull,
  readWhole,
  unpackValues,
} from "./wire-values.ts";

/** Placements that are decided in one transaction if they are a group. Otherwise there is one. */
export type Submission = { id: number; isGroup: boolean; placements: readonly Placement[] };

/** From `deadlineMs` on only the process that sent them decides (`machineTimeMs`). */
export type Submissions = { deadlineMs: number; submissions: readonly Submission[] };

/** Who buys, and at which revision. The orders of a busy key have it in common. */
type Buyer = Pick<Placement, "resellerId" | "environment" | "actor" | "catalogRevision"> & {
  currency: string;
};
/** What lines of the same product at the same price have in common. */
type Product = Pick<PricedLine, "productId" | "name" | "unitPriceMinor" | "basis">;

/** What orders have in common goes into the message once, and they refer to it by its index. */
type Shared<T> = { rows: unknown[][]; last: Map<string, { index: number; one: T }> };
type Common = { buyers: Shared<Buyer>; products: Shared<Product> };

/** Throws if a placement cannot be sent. */
export function packSubmissions({ deadlineMs, submissions }: Submissions): string {
  const common: Common = {
    buyers: { rows: [], last: new Map() },
    products: { rows: [], last: new Map() },
  };
  const rows = submissions.map(({ id, isGroup, placements }) => [
    id,
    isGroup,
    ...placements.map((placement) => packPlacement(common, placement)),
  ]);
  return packValues([deadlineMs, common.buyers.rows, common.products.rows, rows]);
}

export function unpackSubmissions(bytes: Buffer): Submissions {
  const [deadline, buyerRows, productRows, rows] = unpackValues(bytes);
  const deadlineMs = readNumber(deadline);
  const buyers = readList(buyerRows).map(readBuyer);
  const products = readList(productRows).map(readProduct);
  const submissions = readList(rows).map((row): Submission => {
    const [id, isGroup, ...placements] = readList(row);
    return {
      id: readWhole(id),
      isGroup: readFlag(isGroup),
      placements: placements.map((one) => readPlacement(buyers, products, deadlineMs, one)),
    };
  });
  return { deadlineMs, submissions };
}

function packPlacement({ buyers, products }: Common, placement: Placement): unknown[] {
  const { priced, fate } = placement;
  return [
    refer(buyers, placement.actor.id, toBuyer(placement), isSameBuyer, packBuyer),
    placement.orderId,
    placement.createdAt.getTime(),
    placement.idempotencyKey,
    packBytes(placement.fingerprint),
    placement.reference,
    placement.allOrNothing ?? false,
    isOrdinary(fate) ? null : [fate.scenario, fate.refundHeld, fate.refundAfterMs],
    ...(priced instanceof Problem ? [null, packProblem(priced)] : packPriced(products, priced)),
  ];
}

function readPlacement(
  buyers: readonly Buyer[],
  products: readonly Product[],
  deadlineMs: number,
  row: unknown,
): Placement {
  const [buyer, orderId, createdAtMs, key, fingerprint, reference, allOrNothing, fate, total, lines] =
    readList(row);
  const { resellerId, environment, actor, catalogRevision, currency } = readReferred(buyers, buyer);
  return {
    orderId: readText(orderId),
    resellerId,
    environment,
    actor,
    idempotencyKey: readText(key),
    fingerprint: readBytes(fingerprint),
    reference: readTextOrNull(reference),
    allOrNothing: readFlag(allOrNothing),
    fate: readFate(fate),
    catalogRevision,
    priced:
      total === null
        ? readProblem(lines)
        : { lines: readLines(products, lines), totalMinor: readAmount(total), currency },
    createdAt: new Date(readWhole(createdAtMs)),
    deadlineMs,
  };
}

const toBuyer = ({ resellerId, environment, actor, catalogRevision, priced }: Placement): Buyer => ({
  ...{ resellerId, environment, actor, catalogRevision },
  currency: priced instanceof Problem ? "" : priced.currency,
});

const isSameBuyer = (one: Buyer, other: Buyer): boolean =>
  one.actor.kind === other.actor.kind &&
  one.resellerId === other.resellerId &&
  one.environment === other.environment &&
  one.catalogRevision === other.catalogRevision &&
  one.currency === other.currency;

const packBuyer = ({ resellerId, environment, actor, catalogRevision, currency }: Buyer): unknown[] => [
  ...[resellerId, environment, actor.kind, actor.id, catalogRevision, currency],
];

function readBuyer(row: unknown): Buyer {
  const [resellerId, environment, kind, id, catalogRevision, currency] = readList(row);
  return {
    resellerId: readText(resellerId),
    environment: readOneOf(["live", "test"], environment),
    actor: { kind: readOneOf(ACTOR_KINDS, kind), id: readText(id) },
    catalogRevision: readText(catalogRevision),
    currency: readText(currency),
  };
}

/** The lines are one list, because most orders have few: four values for each. */
const VALUES_PER_LINE = 4;

function packPriced(products: Shared<Product>, { totalMinor, lines }: PricedOrder): unknown[] {
  const values: unknown[] = [];
  for (const line of lines) {
    values.push(
      refer(products, line.productId, line, isSameProduct, packProduct),
      line.quantity,
      toSafeInteger(line.lineTotalMinor),
      line.inputFields,
    );
  }
  return [toSafeInteger(totalMinor), values];
}

function readLines(products: readonly Product[], value: unknown): PricedLine[] {
  const values = readList(value);
  if (values.length % VALUES_PER_LINE !== 0) throw new Error("a message with half a line");
  const lines: PricedLine[] = [];
  for (let at = 0; at < values.length; at += VALUES_PER_LINE) {
    const { productId, name, unitPriceMinor, basis } = readReferred(products, values[at]);
    lines.push({
      productId,
      name,
      unitPriceMinor,
      quantity: readWhole(values[at + 1]),
      lineTotalMinor: readAmount(values[at + 2]),
      inputFields: readInputFields(values[at + 3]),
      basis,
    });
  }
  return lines;
}

function readInputFields(value: unknown): PricedLine["inputFields"] {
  if (value === null) return null;
  const fields = readRecord(value);
  for (const one of Object.values(fields)) readText(one);
  return fields as Record<string, string>;
}

const isSameProduct = (one: Product, other: Product): boolean =>
  one.name === other.name && one.unitPriceMinor === other.unitPriceMinor && one.basis === other.basis;

const packProduct = ({ productId, name, unitPriceMinor, basis }: Product): unknown[] => [
  ...[productId, name, toSafeInteger(unitPriceMinor), basis],
];

function readProduct(row: unknown): Product {
  const [productId, name, unitPriceMinor, basis] = readList(row);
  return {
    productId: readText(productId),
    name: readText(name),
    unitPriceMinor: readAmount(unitPriceMinor),
    basis: readTextOrNull(basis),
  };
}

/** The index of what was sent before, or of what is added now. */
function refer<T>(
  shared: Shared<T>,
  key: string,
  one: T,
  isSame: (one: T, other: T) => boolean,
  pack: (one: T) => unknown[],
): number {
  const before = shared.last.get(key);
  if (before && isSame(before.one, one)) return before.index;
  const index = shared.rows.push(pack(one)) - 1;
  shared.last.set(key, { index, one });
  return index;
}

const isOrdinary = ({ scenario, refundHeld, refundAfterMs }: OrderFate): boolean =>
  scenario === null && !refundHeld && refundAfterMs === null;

function readFate(value: unknown): OrderFate {
  if (value === null) return ORDINARY_FATE;
  const [scenario, refundHeld, refundAfterMs] = readList(value);
  return {
    scenario: readTextOrNull(scenario) as OrderFate["scenario"],
    refundHeld: readFlag(refundHeld),
    refundAfterMs: refundAfterMs === null ? null : readWhole(refundAfterMs),
  };
}
