import type { Command } from "commander";
import { createKey } from "../keys/create-key.ts";
import { keyPrefix } from "../keys/key-format.ts";
import { type KeyRow, listKeyRows } from "../keys/queries.ts";
import { revokeKey } from "../keys/revoke-key.ts";
import { getReseller } from "../resellers/get-reseller.ts";
import { environmentOf, listed, type Options, required, table, text, UsageError, verb } from "./verb.ts";

export function keyCommands(program: Command): void {
  const key = program.command("key").description("API keys of resellers");

  verb(
    key
      .command("create")
      .description("make a key; it is shown this once")
      .requiredOption("--reseller <id>", "whose key")
      .requiredOption("--env <environment>", "live or test")
      .option("--scopes <a,b>", "what it may do (default: everything)")
      .option("--allow-ips <c,d>", "addresses and CIDR ranges it is locked to (default: any)")
      .option("--expires-at <time>", "when it stops working, as RFC 3339 (default: never)")
      .option("--name <name>", "what it is for"),
    async ({ db, clock, secrets }, options) => {
      const { id: resellerId } = await getReseller(db, required(options, "reseller"));
      return createKey(
        { db, clock, pepper: secrets.pepper },
        {
          resellerId,
          environment: environmentOf(options),
          name: text(options, "name") ?? "",
          scopes: listed(text(options, "scopes")),
          allowedIps: allowedIps(options),
          expiresAt: time(text(options, "expiresAt"), "expires-at"),
        },
      );
    },
    (created) => `${created.key}\n\n${created.id} is shown this once; keep it where secrets are kept.`,
  );

  verb(
    key
      .command("list")
      .description("keys, without what is secret of them")
      .option("--reseller <id>", "only this reseller's"),
    async ({ db }, options) => ({ data: (await listKeyRows(db, text(options, "reseller"))).map(toView) }),
    ({ data }) =>
      table(
        ["ID", "KEY", "RESELLER", "NAME", "SCOPES", "LAST USED", "STATE"],
        data.map((row) => [
          row.id,
          `${row.prefix}…${row.lastFour}`,
          row.resellerId,
          row.name,
          row.scopes.join(","),
          row.lastUsedAt ?? "never",
          row.revokedAt ? "revoked" : "active",
        ]),
      ),
  );

  verb(
    key.command("revoke").description("refuse the key from now on, on every node").argument("<id>"),
    async ({ db, clock }, _options, [id = ""]) => toView(await revokeKey(db, clock, id)),
    (row) => `revoked ${row.id} (${row.prefix}…${row.lastFour})`,
  );
}

/** An empty list would lock the key to nothing and open it to all: somebody's variable was not set. */
function allowedIps(options: Options): string[] {
  const ranges = listed(text(options, "allowIps"));
  if (ranges?.length === 0) throw new UsageError("--allow-ips is empty; leave it out to accept any address");
  return ranges ?? [];
}

function time(value: string | undefined, name: string): Date | undefined {
  if (value === undefined) return undefined;
  const date = new Date(value);
  if (Number.isNaN(date.getTime()))
    throw new UsageError(`--${name} takes a time such as 2030-01-31T00:00:00Z`);
  return date;
}

const toView = (row: KeyRow) => ({
  id: row.id,
  resellerId: row.resellerId,
  env: row.environment,
  name: row.name,
  prefix: keyPrefix(row.environment),
  lastFour: row.lastFour,
  scopes: row.scopes,
  allowIps: row.allowedIps,
  createdAt: row.createdAt.toISOString(),
  ...(row.expiresAt ? { expiresAt: row.expiresAt.toISOString() } : {}),
  ...(row.revokedAt ? { revokedAt: row.revokedAt.toISOString() } : {}),
  ...(row.lastUsedAt ? { lastUsedAt: row.lastUsedAt.toISOString() } : {}),
  ...(row.lastUsedIp ? { lastUsedIp: row.lastUsedIp } : {}),
});
