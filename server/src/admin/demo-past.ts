import type { PastReseller } from "./history/fill-history.ts";

/** What the demo's resellers did in the past three weeks: what they sell, by weight, and where their webhooks go. */
export const demoPast = (ids: { northwind: string; kestrel: string }): PastReseller[] => [
  {
    id: ids.northwind,
    weeklyDeposit: "6000.00",
    habits: {
      prefix: "NW",
      burstsPerDay: 8,
      products: [
        ["nimbus-us-10", 16],
        ["nimbus-us-25", 18],
        ["nimbus-us-50", 12],
        ["nimbus-us-100", 4],
        ["lumora-us-999", 8],
        ["lumora-eu-999", 5],
        ["harborvale-ca-50", 5],
        ["nimbus-uk-20", 5],
        ["nimbus-eu-25", 4],
        ["quillbox-uk-15", 3],
        ["saffron-in-1000", 3],
        ["nimbus-jp-1000", 3],
        ["nimbus-br-50", 2],
      ],
    },
    endpoints: [
      { url: "https://hooks.northwind.example/scrip" },
      { url: "https://erp.northwind.example/webhooks/orders", failsForHours: 31 },
    ],
  },
  {
    id: ids.kestrel,
    weeklyDeposit: "1500.00",
    habits: {
      prefix: "KD",
      burstsPerDay: 1,
      products: [
        ["nimbus-eu-10", 6],
        ["nimbus-eu-25", 6],
        ["nimbus-eu-50", 3],
        ["lumora-eu-999", 4],
      ],
    },
    endpoints: [{ url: "https://api.kestrel.example/hooks" }],
  },
];
