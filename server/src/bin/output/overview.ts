/** What `scrip --help` says of each command. A test holds it against the commands themselves. */
export const OVERVIEW: Readonly<Record<string, { takes?: string; summary: string }>> = {
  start: {
    takes: "[options]",
    summary: "migrate the database, then serve; starts an embedded PostgreSQL unless DATABASE_URL is set",
  },
  demo: {
    takes: "[options]",
    summary: "fill an empty database with a demo catalog, two resellers, their keys and some stock",
  },
  migrate: { takes: "[options]", summary: "apply migrations, and keep the partitions of tables by time" },
  doctor: { takes: "[options]", summary: "check the configuration and the database" },
  audit: {
    takes: "[options]",
    summary: "prove on the running database that no money and no order is lost or duplicated",
  },
  alert: { summary: "what needs a person now" },
  job: { summary: "long work in the background" },
  system: {
    takes: "[options]",
    summary: "the running system: processes, queues, database and backups",
  },
  backup: { summary: "tell Scrip about the backups that you make" },
  vault: { summary: "master keys and what is encrypted under them" },
  reseller: { summary: "the resellers who sell your products" },
  key: { summary: "API keys of resellers" },
  user: { summary: "people of resellers, who sign in to the dashboard" },
  staff: { summary: "the operator's staff, who sign in to the console" },
  wallet: { summary: "the prepaid wallets of resellers" },
  deposit: { summary: "money that resellers send, and its way into their wallets" },
  catalog: { summary: "the products that resellers see" },
  price: { summary: "what resellers pay" },
  rule: { summary: "rules that prices are worked out from" },
  fx: { summary: "exchange rates, for costs in other currencies" },
  listing: { summary: "which products a reseller sees" },
  supplier: { summary: "suppliers and costs; resellers never see them" },
  route: { summary: "the suppliers of each product; to set a single route: scrip supplier route" },
  stock: { summary: "codes that you sell from your own stock" },
  order: { summary: "orders of all resellers" },
  report: { summary: "what was sold, earned and lost" },
  listen: {
    takes: "[options]",
    summary: "forward a reseller's events to a local server, as signed webhooks",
  },
  completion: {
    takes: "<shell>",
    summary: "print a script that completes commands and options in your shell",
  },
};
