import type { ProductFileRow } from "../catalog/files/product-file.ts";
import { demoDetails } from "./demo-details.ts";
import { demoGiftCards } from "./demo-gift-cards.ts";
import { demoTopUps } from "./demo-top-ups.ts";

/** The demo has two resellers: Northwind Games pays in USD, Kestrel Digital in EUR. */
type DemoResellerName = "northwind" | "kestrel";

type DemoPrice = { productId: string; currency: string; amount: string; strike?: string };
type DemoResellerPrice = {
  reseller: DemoResellerName;
  productId: string;
  amount: string;
  strike?: string;
};

/** The products that `scrip demo` creates, in the shape of a catalog file. */
export const demoProducts: readonly ProductFileRow[] = [...demoGiftCards, ...demoTopUps].map((product) => ({
  ...product,
  ...demoDetails(product.id),
}));

type PriceCell = string | { amount: string; strike: string } | undefined;

/**
 * Product, USD and EUR price on the price list `standard`. `nimbus-kw-20` has no price and cannot be bought;
 * `kettlebird-us-5` has no EUR price.
 */
const PRICE_TABLE: readonly (readonly [productId: string, usd: PriceCell, eur: PriceCell])[] = [
  ["nimbus-us-10", "9.60", "8.90"],
  ["nimbus-us-25", "23.75", "22.00"],
  ["nimbus-us-50", "47.25", "43.75"],
  ["nimbus-us-100", { amount: "93.50", strike: "100.00" }, { amount: "86.60", strike: "92.60" }],
  ["nimbus-us-500", "462.50", "428.20"],
  ["nimbus-eu-10", "10.35", "9.60"],
  ["nimbus-eu-25", "25.80", "23.90"],
  ["nimbus-eu-50", "51.30", "47.50"],
  ["nimbus-uk-20", "24.40", "22.60"],
  ["nimbus-jp-1000", "6.40", "5.93"],
  ["nimbus-jp-3000", "19.10", "17.70"],
  ["nimbus-kw-5", "15.70", "14.55"],
  ["nimbus-br-50", "8.85", "8.20"],
  ["lumora-us-999", "9.49", "8.79"],
  ["lumora-us-5999", "56.40", "52.20"],
  ["lumora-eu-999", "10.25", "9.49"],
  ["quillbox-uk-15", "18.10", "16.75"],
  ["saffron-in-1000", "11.25", "10.40"],
  ["zephyr-ae-100", "26.20", "24.25"],
  ["harborvale-ca-50", "34.70", "32.10"],
  ["orbitmart-mx-500", "26.40", "24.45"],
  ["kettlebird-us-5", "4.70", undefined],
  ["pinewave-kr-30000", "20.80", "19.25"],
  ["arcadia-crystals-60", "0.94", "0.87"],
  ["arcadia-crystals-325", "4.72", "4.37"],
  ["arcadia-crystals-980", "14.10", "13.05"],
  ["arcadia-crystals-1980", { amount: "27.40", strike: "29.99" }, { amount: "25.40", strike: "27.99" }],
  ["arcadia-crystals-6480", "91.90", "85.10"],
  ["emberfall-embers-100", "1.88", "1.74"],
  ["emberfall-embers-550", "9.35", "8.66"],
  ["emberfall-embers-1200", { amount: "18.40", strike: "19.99" }, { amount: "17.05", strike: "18.49" }],
  ["starlane-gems-80", "0.93", "0.86"],
  ["starlane-gems-500", "4.65", "4.30"],
  ["starlane-gems-1200", "9.30", "8.60"],
  ["velvet-gold-300", "5.10", "4.72"],
  ["velvet-gold-1000", "15.40", "14.25"],
  ["mossgrove-pass-1", "7.45", "6.90"],
  ["tamarind-in-500", "5.80", "5.37"],
  ["larkspur-br-30", "5.40", "5.00"],
];

export const demoPrices: readonly DemoPrice[] = PRICE_TABLE.flatMap(([productId, usd, eur]) => [
  ...toPrices(productId, "USD", usd),
  ...toPrices(productId, "EUR", eur),
]);

/** Prices that one reseller has negotiated, in the currency of that reseller's wallet. */
export const demoResellerPrices: readonly DemoResellerPrice[] = [
  { reseller: "northwind", productId: "nimbus-us-25", amount: "23.25", strike: "25.00" },
  { reseller: "northwind", productId: "arcadia-crystals-325", amount: "4.55" },
  { reseller: "northwind", productId: "kettlebird-us-5", amount: "4.50", strike: "4.70" },
  { reseller: "kestrel", productId: "nimbus-eu-50", amount: "46.75", strike: "47.50" },
  { reseller: "kestrel", productId: "velvet-gold-1000", amount: "13.90" },
];

/** Products that one of the two resellers cannot see. */
export const demoUnlisted: readonly { reseller: DemoResellerName; productId: string }[] = [
  { reseller: "northwind", productId: "velvet-gold-300" },
  { reseller: "northwind", productId: "velvet-gold-1000" },
  { reseller: "kestrel", productId: "nimbus-br-50" },
  { reseller: "kestrel", productId: "larkspur-br-30" },
];

function toPrices(productId: string, currency: string, cell: PriceCell): DemoPrice[] {
  if (cell === undefined) return [];
  return [{ productId, currency, ...(typeof cell === "string" ? { amount: cell } : cell) }];
}
