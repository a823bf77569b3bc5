import type { Clock } from "../lib/clock.ts";
import type { RemoteSupplier } from "./supplier.ts";

type KindFacts = {
  /** The name in `suppliers.kind` and in `--kind`: lowercase letters, digits and underscores. */
  kind: string;
  /** What it does, as the help of `scrip supplier add` says it after the name. */
  does: string;
  /** Whether `scrip supplier sync` can read its catalog. */
  canSyncCatalog: boolean;
  /** Whether it can tell if the account of a top-up exists. */
  canCheckAccount: boolean;
  /** Whether it tells exchange rates. */
  canFeedRates: boolean;
};

/** A supplier whose goods are codes that the operator imports. It has no config, and is never called. */
export type StockKind = KindFacts & { hasOwnStock: true };

/** A supplier that is called. Its config says where, and with which credentials. */
export type RemoteKind = KindFacts & {
  hasOwnStock: false;
  /** Whether a route names the face value that is bought (`--value`). */
  takesValue: "required" | "optional" | "never";
  /** Whether it is told the limit of a purchase and sells nothing above it. Others sell, and charge what they like. */
  refusesAbove: boolean;
  /** How long its books may lag behind what it sells, unless the operator says otherwise (`--resend-after`). */
  resendAfterMs: number;
  /** It promises that a purchase sent again under its reference is not made a second time. */
  refusesRepeats: boolean;
  /** The JSON of its config file, as the help of `--config` shows it. */
  configExample: string;
  /** The members of its config, in the order in which a form asks for them. `parseConfig` accepts no others. */
  configFields: readonly ConfigField[];
  /** Throws a RangeError for an unusable config. The message quotes nothing of it, because that may be a secret. */
  parseConfig(json: unknown): object;
  /**
   * The account that a config buys from, even if `parseConfig` refuses the config today: the operator must be able to fix
   * it. Undefined without an address.
   */
  accountOf(json: unknown): SupplierAccount | undefined;
  /** What the supplier keeps of our reference, if not the reference itself. */
  keyOf?(reference: string): string;
  /** Makes no call yet. Throws as `parseConfig` does. */
  open(json: unknown, options: OpenOptions): RemoteSupplier;
};

export type SupplierKind = StockKind | RemoteKind;

/** Two configs of one address and holder buy from the same account, and see the same purchases. */
export type SupplierAccount = {
  address: string;
  /** What distinguishes accounts at one address: a client id, or the key itself if there is nothing else. */
  holder: string;
};

/** One member of a config. All are text except `flag`, which is true or false. */
export type ConfigField = {
  key: string;
  label: string;
  /** A `secret` is never shown again. A `url` is https, or http on this machine. */
  type: "text" | "secret" | "url" | "flag";
  required: boolean;
  /** What it is and where to find it, in a sentence or two. */
  help: string;
  /** What applies when it is left out. */
  fallback?: string;
};

export type OpenOptions = { timeoutMs: number; clock?: Clock };
