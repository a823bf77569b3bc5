import sql from "sql-template-tag";
import type { Db } from "../db/database.ts";
import type { Keyring } from "../vault/keyring.ts";
import { SealError } from "../vault/seal.ts";
import { getRemoteKind } from "./registry.ts";
import type { LookUpOutcome, PurchaseOutcome, RemoteSupplier } from "./supplier.ts";
import { unsealSupplierConfig } from "./supplier-config.ts";
import type { RemoteKind } from "./supplier-kind.ts";

/** `hasFailed`: its circuit breaker remembers failures, so that an answer is news to it. */
export type OpenedSupplier = { supplier: RemoteSupplier; hasFailed: boolean };

export type OpenSuppliers = {
  /** Undefined when the supplier is gone, or its config does not open or is refused. */
  open(supplierId: string): Promise<OpenedSupplier | undefined>;
  /** Closes all of them. Calls that are under way end first. */
  close(): Promise<void>;
};

export type OpenSuppliersDeps = {
  db: Db;
  keyring: Keyring;
  /** How long one call may take. */
  timeoutMs: number;
  /** Why a supplier cannot be called. The reason quotes nothing of its config. */
  onUnusable?: (reason: string) => void;
  onCloseFailed?: (error: unknown) => void;
  kindOf?: (name: string) => Pick<RemoteKind, "open">;
};

type Kept = { sealedConfig: Buffer; supplier: RemoteSupplier; close(): Promise<void> };

/**
 * The suppliers that this process calls. The config is read for each call, so that a new key or address takes effect at
 * once. An opened supplier is kept until its config changes, so that a token or a connection outlives a call. Sealing the same
 * config twice gives different bytes, so the sealed bytes serve as the version of a config.
 */
export function createOpenSuppliers(deps: OpenSuppliersDeps): OpenSuppliers {
  const { db, onUnusable = () => {}, onCloseFailed = () => {} } = deps;
  const kept = new Map<string, Kept>();
  const closing = new Set<Promise<void>>();

  const retire = (id: string): void => {
    const done = kept.get(id)?.close().catch(onCloseFailed);
    kept.delete(id);
    if (!done) return;
    closing.add(done);
    void done.finally(() => closing.delete(done));
  };

  return {
    async open(id) {
      const row = await readSupplier(db, id);
      if (row?.sealedConfig && kept.get(id)?.sealedConfig.equals(row.sealedConfig) !== true) {
        retire(id);
        const supplier = openNow(deps, id, { ...row, sealedConfig: row.sealedConfig }, onUnusable);
        if (supplier) kept.set(id, { sealedConfig: row.sealedConfig, ...closeAfterCalls(supplier) });
      }
      if (!row?.sealedConfig) retire(id);
      const supplier = kept.get(id)?.supplier;
      return row && supplier && { supplier, hasFailed: row.hasFailed };
    },
    async close() {
      for (const id of [...kept.keys()]) retire(id);
      await Promise.all(closing);
    },
  };
}

type SupplierState = { kind: string; sealedConfig: Buffer | null; hasFailed: boolean };

async function readSupplier(db: Db, id: string): Promise<SupplierState | undefined> {
  const [row] = await db.rows<SupplierState>(
    sql`
      select kind, sealed_config as "sealedConfig",
             consecutive_failures > 0 or open_until is not null as "hasFailed"
      from suppliers where id = ${id}`,
    { name: "open-supplier" },
  );
  return row;
}

function openNow(
  { keyring, timeoutMs, kindOf = getRemoteKind }: OpenSuppliersDeps,
  id: string,
  { kind, sealedConfig }: { kind: string; sealedConfig: Buffer },
  onUnusable: (reason: string) => void,
): RemoteSupplier | undefined {
  try {
    return kindOf(kind).open(unsealSupplierConfig(keyring, { id, sealedConfig }), { timeoutMs });
  } catch (error) {
    if (error instanceof SealError) return undefined;
    if (!(error instanceof RangeError)) throw error;
    // The rules for configs have become stricter since it was sealed, or a newer version has added a kind.
    onUnusable(error.message);
    return undefined;
  }
}

const CLOSED: PurchaseOutcome & LookUpOutcome = { kind: "unknown", reason: "closed" };

/** The supplier, and a `close` that waits for its calls. Calls after that send nothing and return `unknown`. */
function closeAfterCalls(supplier: RemoteSupplier): { supplier: RemoteSupplier; close(): Promise<void> } {
  const calls = new Set<Promise<unknown>>();
  let isClosed = false;
  const readBalance = supplier.readBalance?.bind(supplier);
  const checkAccount = supplier.checkAccount?.bind(supplier);
  const { listOffers, readStatement, readRates } = supplier;
  const follow = <Answer, Instead = typeof CLOSED>(
    call: () => Promise<Answer>,
    instead: Instead = CLOSED as Instead,
  ): Promise<Answer | Instead> => {
    if (isClosed) return Promise.resolve(instead);
    const answer = call();
    calls.add(answer);
    return answer.finally(() => calls.delete(answer));
  };
  return {
    supplier: {
      buy: (request) => follow(() => supplier.buy(request)),
      lookUp: (reference, upstreamId, asked) => follow(() => supplier.lookUp(reference, upstreamId, asked)),
      ...(readBalance ? { readBalance: () => follow(readBalance, undefined) } : {}),
      ...(checkAccount
        ? { checkAccount: (request) => follow(() => checkAccount(request), { result: "unknown" } as const) }
        : {}),
      // These only read, and in pages: a page that is under way when the config changes may still end.
      ...(listOffers ? { listOffers } : {}),
      ...(readStatement ? { readStatement } : {}),
      ...(readRates ? { readRates } : {}),
    },
    async close() {
      isClosed = true;
      await Promise.allSettled(calls);
      await supplier.close?.();
    },
  };
}
