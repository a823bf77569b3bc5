/** What the API reference says of the whole. */
export const apiInfo = {
  title: "Scrip",
  version: "1.0.0",
  summary: "Sell gift cards and game top-ups from your own systems.",
  description: `A catalog priced for you, orders settled at once from a prepaid wallet and fulfilled in the background, signed webhooks, and a sandbox that behaves like live.

Every request carries an API key in \`X-API-Key\`. A key that begins with \`sc_test_\` works on the sandbox, one with \`sc_live_\` on live data.

Bodies are JSON in UTF-8, at most 64 KiB. Money is an integer in the currency's minor units. Times are RFC 3339 in UTC. Ids are opaque. Ignore response fields that you do not know: new ones are added at any time.

Lists come in pages: pass \`nextCursor\` as \`cursor\` until \`hasMore\` is false. Nothing is skipped or repeated while others write. A filter that is given and empty is refused.

Errors are \`application/problem+json\`; their \`code\` is stable and their \`type\` opens a page that says what to do.`,
  license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
  contact: { name: "The operator of this server" },
};

export const tags = [
  { name: "Catalog", description: "The products that you may sell, at your prices." },
  { name: "Orders", description: "Buying: settled from the wallet at once, fulfilled in the background." },
  { name: "Wallet", description: "What you can spend, and every movement of it." },
  { name: "Webhooks", description: "Where signed events are sent, and what became of each." },
  { name: "Events", description: "What happened, as it is told to your endpoints." },
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
