import { createHash } from "node:crypto";
import type { OrderStatus } from "../../src/orders/status.ts";
import type { Goods, GoodsType } from "../../src/suppliers/goods.ts";
import type { Course, Refusal } from "./upstream-faults.ts";
import type { UnitDraw } from "./upstream-plan.ts";

/** A request to buy one unit. */
export type Demand = UnitDraw & {
  /** The idempotency key. */
  reference: string;
  /** The id that the purchase gets. One like a Scrip's, unless it is given. */
  id?: string;
  inputFields?: Record<string, string>;
  /** The face value, where the buyer names it. */
  value?: number;
  /** The `reference` in the body. */
  note?: string;
};

type Sale = Exclude<Course, { refusal: Refusal }>;

export type Purchase = Demand & {
  orderId: string;
  course: Sale;
  polls: number;
  createdAt: Date;
  updatedAt: Date;
  /** Set once it is completed. */
  goods?: Goods;
  /** Its goods were sold before, to another buyer. */
  repeated: boolean;
  /** It was taken back after it was completed, and the money returned. */
  reversed: boolean;
  /** How often the reference was bought before. */
  again?: number;
};

export type Placement =
  | { kind: "placed" | "replayed"; purchase: Purchase }
  | { kind: "conflict" }
  | { kind: "refused"; refusal: Refusal };

export type Ledger = {
  /** A repeated reference is the same purchase. A new one is a new purchase, whatever it is for. */
  place(demand: Demand, course: Course): Placement;
  find(reference: string): Purchase | undefined;
  /** More than one where references are not unique. */
  findAll(reference: string): Purchase[];
  findById(orderId: string): Purchase | undefined;
  /** Moves a polled purchase to its next stage. */
  poll(purchase: Purchase): void;
  /** Moves it to its last stage. */
  finish(purchase: Purchase): void;
  /** In purchase order. */
  list(): Purchase[];
};

export type LedgerOptions = {
  seed: number;
  /** Units on sale by SKU. A SKU that is not listed is unknown. Without it everything is available without limit. */
  stock?: Readonly<Record<string, number>> | undefined;
  /** A repeated reference is a new purchase. */
  repeatsBuyAgain?: boolean;
  /** The time of its books. The system's by default. */
  now?: () => Date;
  /** What a SKU turns into. A code by default. */
  goods?: Readonly<Record<string, GoodsType>> | undefined;
};

/** What the upstream has really sold, whatever it says. */
export function createLedger(options: LedgerOptions): Ledger {
  const byReference = new Map<string, Purchase>();
  const byId = new Map<string, Purchase>();
  const sold = new Set<string>();
  const all: Purchase[] = [];
  const { now = () => new Date() } = options;

  const moveTo = (purchase: Purchase, polls: number): void => {
    const before = statusOf(purchase);
    purchase.polls = polls;
    if (statusOf(purchase) !== before) purchase.updatedAt = now();
    if (statusOf(purchase) !== "completed" || purchase.goods) return;
    purchase.goods = goodsOf(options, purchase);
    const code = codeOf(purchase.goods);
    purchase.repeated = purchase.goods.type !== "topup" && sold.has(code);
    sold.add(code);
  };
  const shortageOf = (sku: string): Refusal | undefined => {
    if (!options.stock) return undefined;
    const units = options.stock[sku];
    if (units === undefined) return "not_found";
    const taken = all.filter((one) => one.sku === sku && statusOf(one) !== "refunded");
    return taken.length < units ? undefined : "out_of_stock";
  };

  return {
    place(demand, course) {
      const known = byReference.get(demand.reference);
      if (known && !options.repeatsBuyAgain)
        return isSame(known, demand) ? { kind: "replayed", purchase: known } : { kind: "conflict" };
      if ("refusal" in course) return { kind: "refused", refusal: course.refusal };
      const refusal = shortageOf(demand.sku);
      if (refusal) return { kind: "refused", refusal };
      const again = all.filter(({ reference }) => reference === demand.reference).length;
      const id = again > 0 && demand.id !== undefined ? { id: `${demand.id}${again}` } : {};
      const purchase = toPurchase(options.seed, { ...demand, ...id }, course, now());
      if (again > 0) purchase.again = again;
      all.push(purchase);
      byReference.set(purchase.reference, purchase);
      byId.set(purchase.orderId, purchase);
      moveTo(purchase, 0);
      return { kind: "placed", purchase };
    },
    find: (reference) => byReference.get(reference),
    findAll: (reference) => all.filter((one) => one.reference === reference),
    findById: (orderId) => byId.get(orderId),
    poll: (purchase) => moveTo(purchase, purchase.polls + 1),
    finish: (purchase) => moveTo(purchase, Math.max(purchase.polls, purchase.course.stages.length)),
    list: () => [...all],
  };
}

export const statusOf = ({ course, polls }: Purchase): OrderStatus =>
  course.stages[Math.min(polls, course.stages.length - 1)] ?? "pending";

/** The price of one unit, which is the cost of the routes that tests create. */
export const LIST_PRICE_MINOR = 80;

export const priceOf = ({ course }: Purchase): number => course.priceMinor ?? LIST_PRICE_MINOR;

/** What the supplier keeps of it. */
export function paidFor(purchase: Purchase): number {
  const isUnsold = purchase.course.partial === "unsold" || purchase.reversed;
  return statusOf(purchase) === "completed" && !isUnsold ? priceOf(purchase) : 0;
}

export function codeOf(goods: Goods): string {
  if (goods.type === "code") return goods.code;
  return goods.type === "url" ? goods.url : goods.receipt;
}

/**
 * The purchase as if it were bought now. Its id is predictable, so that a response can name one that was never made.
 */
export const toPurchase = (seed: number, demand: Demand, course: Sale, now: Date = new Date()): Purchase => ({
  ...demand,
  orderId: demand.id ?? idFrom("ord", [seed, demand.reference]),
  course,
  polls: 0,
  createdAt: now,
  updatedAt: now,
  repeated: false,
  reversed: false,
});

/** A completed purchase of another buyer, whose order and code must never be mistaken for the caller's own. */
export function strangerTo(seed: number, { reference, sku, account, unit, id }: Demand): Purchase {
  const own = id === undefined ? {} : { id: `9${id}` };
  const demand = { reference: `stranger-to-${reference}`, note: "somebody-else", sku, account, unit, ...own };
  const stranger = toPurchase(seed, demand, { stages: ["completed"] });
  return { ...stranger, goods: goodsOf({ seed }, stranger) };
}

export const idFrom = (prefix: string, parts: readonly unknown[]): string =>
  `${prefix}_0${charactersFrom([prefix, ...parts], ID_CHARACTERS - 1)}`;

/** An id of digits, for suppliers that number their orders. */
export const numberFrom = (reference: string): string =>
  String(1_000_000_000 + createHash("sha256").update(reference).digest().readUIntBE(0, 6));

const ID_CHARACTERS = 26;
const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";

const isSame = (known: Demand, demand: Demand): boolean =>
  known.sku === demand.sku &&
  known.note === demand.note &&
  canonicalOf(known.inputFields) === canonicalOf(demand.inputFields);

const canonicalOf = (fields: Record<string, string> = {}): string =>
  JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));

function goodsOf({ seed, goods }: LedgerOptions, { reference, sku, course, again }: Purchase): Goods {
  // Repeating plans all sell the same code, so that a result does not depend on who came before.
  const owner = course.repeatsCode ? ["one code for many", sku] : [reference, ...(again ? [again] : [])];
  const characters = charactersFrom(["goods", seed, ...owner], 20).toUpperCase();
  if (course.isLongNumber) return { type: "code", code: longNumber(owner) };
  switch (goods?.[sku] ?? "code") {
    case "topup":
      return { type: "topup", receipt: `RCPT-${characters}` };
    case "url":
      return { type: "url", url: `https://redeem.example/${characters}` };
    case "code":
      return { type: "code", code: `UP-${characters.slice(0, 16)}`, pin: characters.slice(16) };
  }
}

/** Nineteen digits that do not end in zero. */
const longNumber = (parts: readonly unknown[]): string =>
  `${(2n ** 60n + BigInt(`0x${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 12)}`)).toString()}`.replace(
    /0$/,
    "7",
  );

const charactersFrom = (parts: readonly unknown[], length: number): string =>
  [...createHash("sha256").update(JSON.stringify(parts)).digest()]
    .slice(0, length)
    .map((byte) => CROCKFORD.charAt(byte % CROCKFORD.length))
    .join("");
