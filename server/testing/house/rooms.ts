/**
 * The rooms of `server/src`, lowest first, and the other rooms that each can import. Every room can import `lib` and
 * its own files. A room imports only rooms listed before it. `import-ranks.test.ts` refuses all other imports.
 */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  config: [],
  db: [],
  vault: [],
  http: [],
  work: [],
  web: ["http"],
  mail: ["db"],
  events: ["db", "http"],
  activity: ["db", "http"],
  keys: ["db", "http", "vault"],
  requests: ["db", "http"],
  accounts: ["db", "http", "vault", "work", "mail", "events", "activity"],
  access: ["db", "http", "web", "activity", "accounts"],
  wallet: ["db", "http", "events"],
  catalog: ["db", "http", "events"],
  webhooks: ["db", "http", "vault", "work", "mail", "events", "activity"],
  suppliers: ["db", "vault", "catalog"],
  resellers: ["db", "activity", "wallet"],
  sandbox: ["http", "suppliers"],
  orders: ["db", "http", "events", "wallet", "catalog", "suppliers", "sandbox"],
  fulfilment: [
    ...["db", "http", "vault", "work", "events", "keys", "wallet", "webhooks", "suppliers", "sandbox"],
    "orders",
  ],
  search: ["db", "http", "vault", "activity", "keys"],
  audit: ["db", "events"],
  admin: ["db", "vault", "keys", "accounts", "wallet", "catalog", "webhooks", "suppliers", "resellers"],
  dashboard: [
    ...["db", "vault", "http", "web", "mail", "events", "activity", "keys", "requests", "accounts", "access"],
    ...["wallet", "catalog", "webhooks", "suppliers", "resellers", "sandbox", "orders", "fulfilment"],
  ],
  console: [
    ...["db", "vault", "http", "web", "mail", "events", "activity", "keys", "requests", "accounts", "access"],
    ...["wallet", "catalog", "webhooks", "suppliers", "resellers", "sandbox", "orders", "fulfilment"],
    ...["search", "audit", "admin"],
  ],
  app: [
    ...["db", "vault", "http", "web", "events", "keys", "wallet", "catalog", "webhooks", "suppliers"],
    ...["requests", "accounts", "sandbox", "orders", "fulfilment", "dashboard"],
  ],
  bin: [
    ...[
      "config",
      "db",
      "vault",
      "http",
      "mail",
      "activity",
      "keys",
      "accounts",
      "wallet",
      "catalog",
      "webhooks",
    ],
    ...["suppliers", "resellers", "orders", "fulfilment", "audit", "admin", "console", "app"],
  ],
};
