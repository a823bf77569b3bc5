import { systemClock } from "../../src/lib/clock.ts";
import { secret } from "../../src/lib/secret.ts";
import { parseBambooConfig } from "../../src/suppliers/bamboo/bamboo-config.ts";
import { createBambooSupplier } from "../../src/suppliers/bamboo/bamboo-supplier.ts";
import { getRemoteKind } from "../../src/suppliers/registry.ts";
import type { RemoteKind } from "../../src/suppliers/supplier-kind.ts";

const RATES = { postsPerSecond: 1_000, getsPerSecond: 1_000 };

/** A kind as the registry has it, but without the limits that its supplier sets: a fake of it has none. */
export const kindWithoutRates = (name: string): Pick<RemoteKind, "open"> =>
  name === "bamboo"
    ? {
        open(json, { timeoutMs, clock = systemClock }) {
          const { clientId, clientSecret, accountId, baseUrl } = parseBambooConfig(json);
          const access = { baseUrl, user: clientId, password: secret(clientSecret) };
          return createBambooSupplier({ access, accountId, timeoutMs, clock, rates: RATES });
        },
      }
    : getRemoteKind(name);
