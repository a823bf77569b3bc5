import type { ProductFileRow } from "../catalog/files/product-file.ts";

type Details = Pick<ProductFileRow, "brand" | "category" | "country" | "redeemInstructions">;
type Brand = Pick<Details, "brand" | "category" | "redeemInstructions">;

const STORE = "Sign in to your account, choose Redeem and enter the code.";
const SHOP = "Show the code at the till, or enter it when you pay online.";

/** By the first part of a product's id. */
const BRANDS: Readonly<Record<string, Brand>> = {
  nimbus: { brand: "Nimbus Store", category: "Apps and games", redeemInstructions: STORE },
  lumora: { brand: "Lumora Music", category: "Music", redeemInstructions: STORE },
  quillbox: { brand: "Quillbox Books", category: "Books", redeemInstructions: STORE },
  saffron: { brand: "Saffron Table", category: "Restaurants", redeemInstructions: SHOP },
  zephyr: { brand: "Zephyr Rides", category: "Travel", redeemInstructions: STORE },
  harborvale: { brand: "Harbor & Vale", category: "Fashion", redeemInstructions: SHOP },
  orbitmart: { brand: "Orbitmart", category: "Groceries", redeemInstructions: SHOP },
  kettlebird: { brand: "Kettlebird Coffee", category: "Restaurants", redeemInstructions: SHOP },
  pinewave: { brand: "Pinewave Play", category: "Apps and games", redeemInstructions: STORE },
  arcadia: { brand: "Arcadia Legends", category: "Games" },
  emberfall: { brand: "Emberfall Online", category: "Games" },
  starlane: { brand: "Starlane", category: "Games" },
  velvet: { brand: "Velvet Siege", category: "Games" },
  mossgrove: { brand: "Mossgrove Farm", category: "Games" },
  tamarind: { brand: "Tamarind Mobile", category: "Mobile top-up" },
  larkspur: { brand: "Larkspur Mobile", category: "Mobile top-up" },
};

/** By the second part of a product's id. Cards for the whole euro area have no country. */
const COUNTRIES: Readonly<Record<string, string>> = {
  us: "US",
  uk: "GB",
  jp: "JP",
  kw: "KW",
  br: "BR",
  in: "IN",
  ae: "AE",
  ca: "CA",
  mx: "MX",
  kr: "KR",
};

/** The brand, category and country of a demo product, and how its code is redeemed. */
export function demoDetails(id: string): Details {
  const [brand = "", place = ""] = id.split("-");
  const country = COUNTRIES[place];
  return { ...BRANDS[brand], ...(country === undefined ? {} : { country }) };
}
