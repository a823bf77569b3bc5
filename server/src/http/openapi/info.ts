/** The general part of the API reference. */
export const apiInfo = {
  title: "Scrip",
  version: "1.0.0",
  summary: "Sell gift cards and game top-ups from your own systems.",
  description: `A catalog with your prices, orders that are charged to a prepaid wallet and fulfilled in the background, signed webhooks, and a sandbox that behaves like live.

Every request needs an API key in \`X-API-Key\`. A key that starts with \`sc_test_\` works in the sandbox; a key that starts with \`sc_live_\` works with live data.

Bodies are JSON in UTF-8, at most 64 KiB. Money is an integer in the currency's minor units. Times are RFC 3339 in UTC. Ids are opaque. Ignore unknown response fields: new fields can be added at any time.

Lists are paginated: pass \`nextCursor\` as \`cursor\` until \`hasMore\` is false. Concurrent writes never cause skipped or repeated items. An empty filter is refused.

Errors are \`application/problem+json\`. Their \`code\` is stable, and their \`type\` links to a page that explains how to fix the error.`,
  license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
  contact: { name: "The operator of this server" },
};

export const tags = [
  { name: "Account", description: "The key that you use, and its limits." },
  { name: "Catalog", description: "The products you can sell, at your prices." },
  {
    name: "Orders",
    description: "Place orders, charged to the wallet immediately and fulfilled in the background.",
  },
  { name: "Wallet", description: "Your balance and every transaction." },
  { name: "Webhooks", description: "Endpoints that receive signed events, and their deliveries." },
  { name: "Events", description: "What happened, as sent to your endpoints." },
  { name: "Requests", description: "Your API requests of the last 14 days." },
];

export const securitySchemes = {
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: "An API key: `sc_live_…` for live data, `sc_test_…` for the sandbox.",
  },
  bearer: { type: "http", scheme: "bearer", description: "The same key as a bearer token." },
};
