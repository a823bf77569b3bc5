import type { Secret } from "../lib/secret.ts";
import type { Goods } from "./goods.ts";

/** CONTRACT 4: why a unit could not be delivered, as the reseller sees it. */
export const FAILURE_CODES = [
  "out_of_stock",
  "rejected_by_issuer",
  "invalid_account",
  "temporarily_unavailable",
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

/** One unit. The reference identifies the purchase permanently: sent again, it is the same purchase. */
export type PurchaseRequest = {
  reference: string;
  sku: string;
  /** The face value that is bought, as decimal text, if the route names one. */
  value?: string | undefined;
  /** By the supplier's names. */
  inputFields: Readonly<Record<string, string>> | null;
  /** What the unit may cost. Absent if the route has no cost: then any price is paid. */
  limit?: PriceLimit | undefined;
};

/** What was to be bought. An answer that names something else is not believed. */
export type AskedGoods = Pick<PurchaseRequest, "sku" | "value" | "inputFields">;

/** The expected price, and the maximum that is accepted. */
export type PriceLimit = { expectedMinor: bigint; maxMinor: bigint; currency: string };

export type SupplierPrice = { amountMinor: bigint; currency: string };
/** The price that a supplier gives for a unit. Unreadable means no amount, or an unknown currency. */
export type ToldPrice = SupplierPrice | "unreadable";

/**
 * What a supplier said in its own words: for staff, who may have to quote it. Nothing of it is a code, a pin or personal data
 * (`calls/hear-answers`).
 */
export type Said = {
  httpStatus?: number;
  /** Its own status word, such as SUCCESSFUL. */
  word?: string;
  /** Its id of the purchase, also where the rest of the answer is not believed. */
  upstreamId?: string;
  /** What its books have, of an answer that is about our purchase. `sold`: it was made, and its code could not be read. */
  state?: "sold" | "pending";
};

/**
 * What is known of a purchase after a call. Only `refused` means that nothing was bought and nothing will be. `unknown` is
 * every answer that is lost, late, broken or makes no sense: it proves nothing.
 */
export type PurchaseOutcome = { said?: Said } & (
  | { kind: "delivered"; goods: Secret<Goods>; upstreamId: string; price?: ToldPrice }
  | { kind: "accepted"; upstreamId: string; price?: ToldPrice }
  /**
   * With a price, the price was the reason: it was not the expected one, or above the maximum. `isUnheard`: the credentials were
   * refused and the request was not looked at, so it says nothing about one that was sent before.
   * `isDoubted`: in words that we do not know, so that it is believed only when the purchase is still not found some time later.
   */
  | {
      kind: "refused";
      failureCode: FailureCode;
      supplierFault: boolean;
      price?: ToldPrice;
      isUnheard?: boolean;
      isDoubted?: boolean;
    }
  | { kind: "unknown"; reason: string }
);

/** A look-up may also find nothing: the purchase was never made, or is not there yet. */
export type LookUpOutcome = PurchaseOutcome | { kind: "not_found"; said?: Said };

/** What a supplier knows about the account of a top-up. */
export type AccountCheck = { result: "valid" | "invalid" | "unknown"; displayName?: string };

/** A supplier that is called over the network. Both calls end in bounded time and never throw because of an answer. */
export type RemoteSupplier = {
  buy(request: PurchaseRequest): Promise<PurchaseOutcome>;
  /** `upstreamId` is the supplier's id of the purchase, if known. `asked` is what was to be bought. */
  lookUp(reference: string, upstreamId: string | undefined, asked?: AskedGoods): Promise<LookUpOutcome>;
  /** What the operator can still spend there. Undefined without a usable answer. A kind that cannot tell leaves it out. */
  readBalance?(): Promise<BalanceReading | undefined>;
  /** Whether the account of a top-up exists. Buys nothing. A kind that cannot tell leaves it out. */
  checkAccount?(request: Pick<PurchaseRequest, "sku" | "inputFields">): Promise<AccountCheck>;
  /** Reads pages of its catalog. A kind that cannot leaves it out. Throws a `SupplierUnreadable` without a usable answer. */
  listOffers?(): AsyncIterable<readonly OfferRow[]>;
  /** The purchases of a period, as the supplier booked them. Throws a `SupplierUnreadable` without a usable answer. */
  readStatement?(from: Date, to: Date): AsyncIterable<readonly StatementRow[]>;
  /** Exchange rates as it tells them now. A kind that cannot leaves it out. Throws a `SupplierUnreadable` without a usable answer. */
  readRates?(): Promise<readonly ToldRate[]>;
  /** Closes what it keeps between calls, such as a connection, in bounded time. It is not called again. */
  close?(): Promise<void>;
};

/** A row that cannot be taken. The words are ours: of the answer there is nothing but the supplier's number, if it is short. */
export type OddRow = {
  /** The supplier's number of the product or the purchase, or the line of a file. */
  number?: string;
  /** The member or the column that is wrong, by its name there. */
  field: string;
  reason: string;
};

/** `odd` has the accounts that could not be read. Without an amount none could. */
export type BalanceReading = { balance?: SupplierPrice; odd?: readonly OddRow[] };

/** Why a product that is fine there cannot be bought by us. */
export const LEFT_OUT = {
  range: "with a range of values",
  no_value: "without a fixed value",
  sender_data: "that need data about the sender",
  account_data: "that need data that Scrip does not send",
} as const;
export type LeftOut = keyof typeof LEFT_OUT;

/** What a catalog has. A product that is left out, or odd, is still there: its routes stay. */
export type OfferRow = SupplierOffer | { sku: string; left: LeftOut } | { odd: OddRow };

/** A product at a supplier, at one face value. */
export type SupplierOffer = {
  sku: string;
  value?: string;
  name: string;
  brand?: string;
  /** ISO 3166-1 alpha-2. */
  country?: string;
  face: { amount: string; currency: string };
  cost: SupplierPrice;
  /** What the supplier needs to know of the account of a top-up, by its names. Absent for a code. */
  fields?: readonly string[];
};

/** One unit of `base` is worth `rate` units of `quote`, as plain decimal text. */
export type ToldRate = { base: string; quote: string; rate: string };

/** A purchase in a supplier's books. */
export type StatementEntry = {
  /** Our reference, or what the supplier keeps of it. */
  reference?: string;
  upstreamId?: string;
  price?: SupplierPrice;
  at?: Date;
  /** `reversed`: it was completed, and the money went back. `failed`: nothing was charged. */
  state: "completed" | "pending" | "failed" | "reversed";
};

/** What a statement has. An odd row can still say which purchase it is about. */
export type StatementRow = StatementEntry | (Omit<StatementEntry, "state" | "price"> & { odd: OddRow });

/** What people read for the reason of an answer that cannot be used. */
export const UNREADABLE_WORDS: ReadonlyMap<string, string> = new Map([
  ["not_authorized", "the supplier refuses the credentials"],
  ["timeout", "the supplier did not answer in time"],
  ["connection_failed", "the supplier's address cannot be reached"],
  ["address_refused", "the supplier's name resolves to an address that is not public"],
  ["busy", "the supplier answers that there are too many requests"],
  ["server_error", "the supplier answers with an error of its own"],
  ["nonsense", "the supplier's answer makes no sense; check the address"],
]);

/** A supplier gave no usable answer to a question that is not a purchase. The message quotes nothing of the answer. */
export class SupplierUnreadable extends RangeError {
  readonly reason: string;
  constructor(reason: string, where = "") {
    const words = UNREADABLE_WORDS.get(reason);
    super(`the supplier gave no usable answer (${reason})${where}${words === undefined ? "" : `: ${words}`}`);
    this.name = "SupplierUnreadable";
    this.reason = reason;
  }
}
