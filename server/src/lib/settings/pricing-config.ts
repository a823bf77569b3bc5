import { type AmountLimits, parseAmountLimits } from "../money.ts";
import { parseOperatorAddress } from "./operator-address.ts";

/** The settings of prices (CONTRACT 8, Prices), read by config. */
export type PricingConfig = {
  pricing: {
    /** FX_MAX_AGE: a rate that is older is not used. */
    rateMaxAgeMs: number;
    /** FX_BUFFER: added to what is converted, in basis points. */
    bufferBp: number;
    /** PRICE_AUTO_PUBLISH_WITHIN: prices that move by more wait for a person, in basis points. */
    autoPublishWithinBp: number;
  };
  /** FX_RATES_URL: where workers read reference rates. It may hold a key, so it is never printed. */
  ratesUrl: string | undefined;
  /** MAX_LOSS: how much a unit may cost above what was paid for it. */
  maxLoss: AmountLimits;
  /** PRODUCTS_LEFT_SALE_ALERT: more products than this that leave the shop within an hour raise an alert. */
  productsLeftMax: number;
};

const HOUR_MS = 3_600_000;
const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: HOUR_MS, d: 24 * HOUR_MS };
const BASIS_POINTS_MAX = 10_000;

export const PRICING_DEFAULTS: PricingConfig = {
  pricing: { rateMaxAgeMs: 24 * HOUR_MS, bufferBp: 0, autoPublishWithinBp: 300 },
  ratesUrl: undefined,
  maxLoss: parseAmountLimits("0"),
  productsLeftMax: 10,
};

/** `read` gives the parsed value of a setting, or undefined where it is not set. */
export function readPricing(
  read: <Value>(name: string, parse: (text: string) => Value) => Value | undefined,
): PricingConfig {
  const { pricing, maxLoss, productsLeftMax } = PRICING_DEFAULTS;
  return {
    pricing: {
      rateMaxAgeMs: read("FX_MAX_AGE", parseSpan) ?? pricing.rateMaxAgeMs,
      bufferBp: read("FX_BUFFER", parseBasisPoints) ?? pricing.bufferBp,
      autoPublishWithinBp: read("PRICE_AUTO_PUBLISH_WITHIN", parseBasisPoints) ?? pricing.autoPublishWithinBp,
    },
    ratesUrl: read("FX_RATES_URL", (text) => parseOperatorAddress(text))?.href,
    maxLoss: read("MAX_LOSS", parseAmountLimits) ?? maxLoss,
    productsLeftMax: read("PRODUCTS_LEFT_SALE_ALERT", parseProducts) ?? productsLeftMax,
  };
}

/** "24h" → milliseconds. */
function parseSpan(text: string): number {
  const [, digits = "", unit = ""] = /^(\d{1,6})\s?([smhd])$/.exec(text) ?? [];
  const spanMs = Number(digits) * (UNITS_MS[unit] ?? 0);
  if (spanMs === 0) throw new RangeError(`must be a length of time such as 24h, 90m or 3d, not "${text}"`);
  return spanMs;
}

function parseBasisPoints(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > BASIS_POINTS_MAX)
    throw new RangeError(
      `must be a whole number of basis points from 0 to ${BASIS_POINTS_MAX}, not "${text}"`,
    );
  return Number(text);
}

function parseProducts(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new RangeError(`must be a number of products, not "${text}"`);
  return Number(text);
}
