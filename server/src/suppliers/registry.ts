import { bambooKind } from "./bamboo/bamboo-kind.ts";
import { dtoneKind } from "./dtone/dtone-kind.ts";
import { reloadlyKind } from "./reloadly/reloadly-kind.ts";
import { scripKind } from "./scrip/scrip-kind.ts";
import { stockKind } from "./stock/stock-kind.ts";
import type { RemoteKind, SupplierKind } from "./supplier-kind.ts";

/** Every kind of supplier. What differs from kind to kind is asked here, or of the column `suppliers.has_own_stock`. */
export const SUPPLIER_KINDS: readonly SupplierKind[] = [
  stockKind,
  scripKind,
  reloadlyKind,
  bambooKind,
  dtoneKind,
];

export const KIND_NAMES: readonly string[] = SUPPLIER_KINDS.map(({ kind }) => kind);

export const REMOTE_KINDS: readonly RemoteKind[] = SUPPLIER_KINDS.filter((one) => !one.hasOwnStock);

/** Undefined for a kind that only a newer version knows. */
export const findKind = (name: string): SupplierKind | undefined =>
  SUPPLIER_KINDS.find(({ kind }) => kind === name);

/** Whether a supplier of that kind promises that a purchase sent again under its reference is not made a second time. */
export function refusesRepeats(name: string): boolean {
  const kind = findKind(name);
  return kind !== undefined && !kind.hasOwnStock && kind.refusesRepeats;
}

export function getKind(name: string): SupplierKind {
  const kind = findKind(name);
  if (!kind) throw new RangeError(`the kind of a supplier is ${KIND_NAMES.join(" or ")}, not "${name}"`);
  return kind;
}

/** `stock sells codes that you import; scrip buys from another Scrip` */
export const describeKinds = (): string =>
  SUPPLIER_KINDS.map(({ kind, does }) => `${kind} ${does}`).join("; ");

/** The kind of a supplier that is called and has a config. */
export function getRemoteKind(name: string): RemoteKind {
  const kind = getKind(name);
  if (kind.hasOwnStock) throw new RangeError(`a ${name} supplier takes no config`);
  return kind;
}
