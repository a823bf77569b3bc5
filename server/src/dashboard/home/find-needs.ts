import { chip } from "../../web/parts/chip.ts";
import { moneyText } from "../../web/parts/money.ts";
import { exactTime, spanText } from "../../web/parts/time.ts";
import type { Html } from "../../web/template/html.ts";
import { failuresText } from "../../webhooks/health/read-health.ts";
import { hintOf, KEYS, keyPath } from "../keys/render-keys.ts";
import { BASE } from "../session.ts";
import { WALLET } from "../wallet/render-wallet.ts";
import type { HomeData } from "./load-home.ts";

/** Something that a person should do, with the page on which to do it. */
export type Need = { chip: Html; what: string; path: string; note: string };

/** The balance below which the reseller wants to be told; null for none. */
export type Alert = { belowMinor: bigint | null };

/** A balance that lasts for fewer days is worth a look. */
const LOW_DAYS = 3;
/** An order that is open for longer is not as usual. */
export const SLOW_MS = 30 * 60_000;

/** What needs the reader, the most urgent first. */
export function findNeeds(data: HomeData & Alert, now: Date): Need[] {
  return [...frozen(data), ...endpoints(data, now), ...wallet(data), ...slow(data, now), ...keys(data, now)];
}

const frozen = ({ frozenAt }: HomeData): Need[] =>
  frozenAt === null
    ? []
    : [
        {
          chip: chip("frozen"),
          what: "Account",
          path: `${BASE}/orders`,
          note: "New orders are refused. Contact the operator.",
        },
      ];

const endpoints = ({ endpoints: troubled }: HomeData, now: Date): Need[] =>
  troubled.map(({ id, url, state, failingSince, disablesAt, recent }) => ({
    chip: chip(state),
    what: hostOf(url),
    path: `${BASE}/webhooks/${encodeURIComponent(id)}`,
    note:
      state === "disabled"
        ? "Disabled after days of failures. Fix it, then enable it again."
        : `${failuresText(recent)}, since ${exactTime(failingSince)}. No success for ${spanText(now.getTime() - failingSince.getTime())}; ${
            disablesAt > now
              ? `disabled in ${spanText(disablesAt.getTime() - now.getTime())}`
              : "about to be disabled"
          }.`,
  }));

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

function wallet({ balanceMinor, currency, belowMinor, runway }: HomeData & Alert): Need[] {
  const item = (word: string, note: string): Need[] => [
    { chip: chip(word, balanceMinor === 0n ? "bad" : "warn"), what: "Wallet", path: WALLET, note },
  ];
  if (balanceMinor === 0n) return item("empty", "Orders are refused until there is a deposit.");
  if (belowMinor !== null && balanceMinor < belowMinor)
    return item("low", `The balance is below your alert of ${moneyText(belowMinor, currency)}.`);
  if (runway.days === undefined || runway.days >= LOW_DAYS) return [];
  return item(
    "low",
    `The balance lasts ${runway.days < 1 ? "less than a day" : `about ${runway.days} days`}.`,
  );
}

const slow = ({ oldestOpenAt }: HomeData, now: Date): Need[] =>
  oldestOpenAt === null || now.getTime() - oldestOpenAt.getTime() < SLOW_MS
    ? []
    : [
        {
          chip: chip("waiting", "warn"),
          what: "Orders in progress",
          path: `${BASE}/orders?status=processing`,
          note: `The oldest has been open for ${spanText(now.getTime() - oldestOpenAt.getTime())}.`,
        },
      ];

const keys = ({ endingKeys, hasKeys }: HomeData, now: Date): Need[] => [
  ...endingKeys.map((key) => ({
    chip: chip("ending"),
    what: `Key ${hintOf(key)}`,
    path: keyPath(key.id),
    note: `Ends in ${spanText((key.expiresAt?.getTime() ?? 0) - now.getTime())}. Roll it or create another.`,
  })),
  ...(hasKeys
    ? []
    : [{ chip: chip("no key", "wait"), what: "API keys", path: KEYS, note: "Create a key to use the API." }]),
];
