import type { By } from "../activity/record-activity.ts";
import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { parseOperatorAddress } from "../lib/settings/operator-address.ts";
import { callForBytes } from "../suppliers/calls/supplier-http.ts";
import { type ImportedRates, importRates } from "./import-rates.ts";
import { REFERENCE_MAX_BYTES } from "./read-ecb.ts";

/** The whole call: the file has 2 KB. */
const FETCH_TIMEOUT_MS = 15_000;

/** Whether what the operator names is an address and not a file. */
export const isRatesUrl = (text: string): boolean => /^https?:\/\//i.test(text);

/**
 * Reads the daily file from an address that the operator names, and stores its rates. The connection is checked as those to
 * suppliers are: no redirect, no private address behind a public name. Messages do not quote the address, because it may hold a key.
 */
export async function fetchRates(
  { db, clock, timeoutMs = FETCH_TIMEOUT_MS }: { db: Db; clock: Clock; timeoutMs?: number },
  by: By,
  address: string,
): Promise<ImportedRates> {
  const { href } = parseOperatorAddress(address, "the address");
  const answer = await callForBytes({
    method: "GET",
    url: href,
    headers: { accept: "application/xml, text/xml" },
    signal: AbortSignal.timeout(timeoutMs),
    maxBytes: REFERENCE_MAX_BYTES,
  });
  if (answer.kind === "lost")
    throw new RangeError(`the address of the rates gave no answer (${answer.reason})`);
  if (answer.status !== 200)
    throw new RangeError(
      `the address of the rates answered ${answer.status}${isRedirect(answer.status) ? "; redirects are not followed" : ""}`,
    );
  return importRates(db, clock, by, answer.bytes.toString("utf8"));
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400;
