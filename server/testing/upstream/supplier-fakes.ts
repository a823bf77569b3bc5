import type { Clock } from "../../src/lib/clock.ts";
import { requestIdOf } from "../../src/suppliers/bamboo/request-id.ts";
import type { RemoteSupplier } from "../../src/suppliers/supplier.ts";
import { BAMBOO_LOGIN, bambooDialect } from "./bamboo-dialect.ts";
import { DTONE_LOGIN, dtoneDialect } from "./dtone-dialect.ts";
import { type Fake, type FakeUpstreamOptions, startFake } from "./fake-upstream.ts";
import { kindWithoutRates } from "./kind-without-rates.ts";
import { RELOADLY_LOGIN, type ReloadlyFakeOptions, reloadlyDialect } from "./reloadly-dialect.ts";
import type { Dialect } from "./upstream-dialect.ts";

export const SUPPLIER_KINDS = ["reloadly", "bamboo", "dtone"] as const;
export type FakeKind = (typeof SUPPLIER_KINDS)[number];

/** Credentials that a fake accepts now. */
export type Logins = { accepted: string[] };

export type SupplierFake = {
  kind: FakeKind;
  fake: Fake;
  logins: Logins;
  /** The config of a supplier that buys here, with any of the secrets. */
  config(secretText?: string): Record<string, string>;
  /** What this supplier keeps of our reference. */
  keyOf(reference: string): string;
  route: { sku: string; value: string | null };
};

export const SECRETS: Readonly<Record<FakeKind, string>> = {
  reloadly: RELOADLY_LOGIN.clientSecret,
  bamboo: BAMBOO_LOGIN.clientSecret,
  dtone: DTONE_LOGIN.apiSecret,
};

/** A server that speaks the protocol of a supplier, and misbehaves as all of them do. */
export async function startSupplierFake(
  kind: FakeKind,
  options: Omit<FakeUpstreamOptions, "dialect"> & DialectOptions,
): Promise<SupplierFake> {
  const logins: Logins = { accepted: [SECRETS[kind]] };
  const fake = await startFake({ ...options, dialect: dialectOf(kind, logins, options) });
  const { baseUrl } = fake;
  const configs: Record<FakeKind, (text: string) => Record<string, string>> = {
    reloadly: (clientSecret) => ({
      clientId: RELOADLY_LOGIN.clientId,
      clientSecret,
      baseUrl,
      authUrl: baseUrl,
    }),
    bamboo: (clientSecret) => ({ ...BAMBOO_LOGIN, clientSecret, baseUrl }),
    dtone: (apiSecret) => ({ apiKey: DTONE_LOGIN.apiKey, apiSecret, baseUrl }),
  };
  return {
    kind,
    fake,
    logins,
    config: (text = SECRETS[kind]) => configs[kind](text),
    keyOf: kind === "bamboo" ? requestIdOf : (reference) => reference,
    route: kind === "dtone" ? { sku: "77", value: null } : { sku: "4521", value: "1.00" },
  };
}

type DialectOptions = Pick<ReloadlyFakeOptions, "tokenMs" | "isSignInBroken" | "products">;

function dialectOf(
  kind: FakeKind,
  logins: Logins,
  { tokenMs, isSignInBroken, products }: DialectOptions,
): Dialect {
  const accepted = () => logins.accepted;
  if (kind === "bamboo") return bambooDialect(accepted);
  if (kind === "dtone") return dtoneDialect(accepted, products);
  return reloadlyDialect({
    logins: accepted,
    ...(tokenMs === undefined ? {} : { tokenMs }),
    ...(isSignInBroken === undefined ? {} : { isSignInBroken }),
    ...(products === undefined ? {} : { products }),
  });
}

/** The adapter of a fake, without the supplier's limits on calls. */
export const openFake = (
  { kind, config }: Pick<SupplierFake, "kind" | "config">,
  timeoutMs: number,
  clock?: Clock,
): RemoteSupplier => kindWithoutRates(kind).open(config(), { timeoutMs, ...(clock ? { clock } : {}) });
