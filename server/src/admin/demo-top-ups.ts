import type { ProductFileRow } from "../catalog/files/product-file.ts";

type Fields = NonNullable<ProductFileRow["inputFields"]>;

/** A text with a pattern, and servers that depend on the selected region. */
const ARCADIA_FIELDS: Fields = [
  { key: "playerId", type: "text", required: true, regex: "^[0-9]{9,10}$" },
  {
    key: "region",
    type: "select",
    required: true,
    options: [
      { value: "eu", label: "Europe" },
      { value: "na", label: "North America" },
      { value: "asia", label: "Asia" },
    ],
  },
  {
    key: "server",
    type: "select",
    required: true,
    options: [
      { value: "eu-1", label: "Avalon", parentValue: "eu" },
      { value: "eu-2", label: "Lyonesse", parentValue: "eu" },
      { value: "na-1", label: "Eldorado", parentValue: "na" },
      { value: "na-2", label: "Norumbega", parentValue: "na" },
      { value: "asia-1", label: "Penglai", parentValue: "asia" },
    ],
  },
];

/** A number with a pattern, and an optional select. */
const EMBERFALL_FIELDS: Fields = [
  { key: "accountNumber", type: "number", required: true, regex: "^[1-9][0-9]{7}$" },
  {
    key: "platform",
    type: "select",
    options: [
      { value: "pc", label: "PC" },
      { value: "console", label: "Console" },
      { value: "mobile", label: "Phone or tablet" },
    ],
  },
];

const STARLANE_FIELDS: Fields = [
  { key: "pilot", type: "text", required: true, regex: "^[\\p{L}0-9_]{3,20}$" },
  { key: "note", type: "text" },
];

const VELVET_FIELDS: Fields = [
  { key: "email", type: "text", required: true, regex: "^[^@ ]{1,64}@[^@ ]{1,128}$" },
];

/** Credits of fictional games and two fictional mobile networks. */
export const demoTopUps: readonly ProductFileRow[] = [
  arcadia("60", {}),
  arcadia("325", { bonus: "+25 Crystals" }),
  arcadia("980", { bonus: "+110 Crystals" }),
  arcadia("1980", { bonus: "+260 Crystals" }),
  arcadia("6480", { bonus: "+1,600 Crystals", maxQuantity: 2 }),
  emberfall("100"),
  emberfall("550"),
  emberfall("1200"),
  starlane("80"),
  starlane("500"),
  starlane("1200"),
  {
    id: "velvet-gold-300",
    name: "Velvet Siege 300 Gold",
    type: "top_up",
    faceValue: { amount: "300", currency: "EUR", unit: "Gold", isMoney: false },
    maxQuantity: 1,
    inputFields: VELVET_FIELDS,
  },
  {
    id: "velvet-gold-1000",
    name: "Velvet Siege 1,000 Gold",
    type: "top_up",
    faceValue: { amount: "1000", currency: "EUR", unit: "Gold", isMoney: false },
    bonus: "+50 Gold",
    maxQuantity: 1,
    inputFields: VELVET_FIELDS,
  },
  {
    id: "mossgrove-pass-1",
    name: "Mossgrove Farm season pass",
    type: "top_up",
    faceValue: { amount: "1", currency: "USD", unit: "Season pass", isMoney: false },
    maxQuantity: 1,
    inputFields: [{ key: "farmCode", type: "text", required: true, regex: "^MG-[A-Z0-9]{4}-[A-Z0-9]{4}$" }],
  },
  {
    id: "tamarind-in-500",
    name: "Tamarind Mobile 500 INR",
    type: "top_up",
    faceValue: { amount: "500.00", currency: "INR" },
    inputFields: [{ key: "phone", type: "text", required: true, regex: "^\\+91[0-9]{10}$" }],
  },
  {
    id: "larkspur-br-30",
    name: "Larkspur Mobile 30 BRL",
    type: "top_up",
    faceValue: { amount: "30.00", currency: "BRL" },
    maxQuantity: 3,
    inputFields: [{ key: "phone", type: "text", required: true, regex: "^\\+55[0-9]{10,11}$" }],
  },
];

function arcadia(amount: string, more: Pick<ProductFileRow, "bonus" | "maxQuantity">): ProductFileRow {
  return {
    id: `arcadia-crystals-${amount}`,
    name: `Arcadia Legends ${amount} Crystals`,
    type: "top_up",
    faceValue: { amount, currency: "USD", unit: "Crystals", isMoney: false },
    inputFields: ARCADIA_FIELDS,
    ...more,
  };
}

function emberfall(amount: string): ProductFileRow {
  return {
    id: `emberfall-embers-${amount}`,
    name: `Emberfall Online ${amount} Embers`,
    type: "top_up",
    faceValue: { amount, currency: "USD", unit: "Embers", isMoney: false },
    maxQuantity: 20,
    inputFields: EMBERFALL_FIELDS,
  };
}

function starlane(amount: string): ProductFileRow {
  return {
    id: `starlane-gems-${amount}`,
    name: `Starlane Raiders ${amount} Gems`,
    type: "top_up",
    faceValue: { amount, currency: "USD", unit: "Gems", isMoney: false },
    inputFields: STARLANE_FIELDS,
  };
}
