import type { Command } from "commander";
import type { By } from "../../activity/record-activity.ts";
import { isDatabaseUnavailable } from "../../db/database-errors.ts";
import { changeKey } from "../../keys/change-key.ts";
import { createKey } from "../../keys/create-key.ts";
import { keySummary, recordOnKey } from "../../keys/key-activity.ts";
import { keyPrefix } from "../../keys/key-format.ts";
import { unfreezeKey } from "../../keys/limits/unfreeze-key.ts";
import { getKey } from "../../keys/list-keys.ts";
import { type KeyRow, listKeyRows } from "../../keys/queries.ts";
import { revokeKey } from "../../keys/revoke-key.ts";
import { GRACE_MAX_HOURS, rollKey } from "../../keys/roll-key.ts";
import { getReseller } from "../../resellers/get-reseller.ts";
import { showTime } from "../output/format.ts";
import { type Cell, table } from "../output/table.ts";
import { environmentOf, listed, type Options, required, text, UsageError, verb } from "../verb.ts";
import { givenLimits, limitOptions, limitsView, OR_NONE } from "./key-limits.ts";
import { durationOf, timeOf } from "./read-options.ts";

export function keyCommands(program: Command): void {
  const key = program.command("key").description("API keys of resellers");

  verb(
    limitOptions(
      key
        .command("create")
        .description("create a key; it is shown only once")
        .requiredOption("--reseller <id>", "the reseller")
        .requiredOption("--env <environment>", "live or test")
        .option("--scopes <a,b>", "the scopes of the key (default: all except requests:read)")
        .option("--allow-ips <c,d>", "addresses and CIDR ranges that can use it (default: any)")
        .option("--expires-at <time>", "when it expires, such as 2030-01-31T12:00:00Z (default: never)")
        .option("--name <name>", "a name for the key"),
    ),
    async ({ db, clock, secrets }, options) => {
      const { id: resellerId } = await getReseller(db, required(options, "reseller"));
      const input = {
        resellerId,
        environment: environmentOf(options),
        name: text(options, "name") ?? "",
        scopes: listed(text(options, "scopes")),
        allowedIps: givenIps(options) ?? [],
        expiresAt: expiry(options, clock.now()),
        limits: givenLimits(options),
      };
      let limits = {};
      const deps = { db, clock, pepper: secrets.pepper };
      const created = await createKey(deps, input, async (tx, { id, lastFour }) => {
        const row = await getKey(tx, input, id);
        limits = limitsView(row);
        const after = { lastFour, ...keySummary(row) };
        await recordOnKey(tx, clock, input, by("create"), { action: "key.created", id, after });
      });
      return { ...created, ...limits };
    },
    (created) => `${created.key}\n\nThe key ${created.id} is shown only once. Store it like a password.`,
  );

  verb(
    key
      .command("list")
      .description("all keys, by prefix and last four characters")
      .option("--reseller <id>", "only keys of this reseller"),
    async ({ db }, options) => ({ data: (await listKeyRows(db, text(options, "reseller"))).map(toView) }),
    ({ data }) => (data.length === 0 ? "No keys yet. Create one: scrip key create --help" : keyTable(data)),
  );

  verb(
    key
      .command("roll")
      .description("replace a key; the new one is shown once and works at once")
      .argument("<id>")
      .option("--grace <duration>", `how long the old key still works, 0 to ${GRACE_MAX_HOURS}h`, "24h"),
    async ({ db, clock, secrets }, options, [id = ""]) => {
      const graceMs = durationOf(options, "grace");
      if (graceMs > GRACE_MAX_HOURS * 3_600_000)
        throw new UsageError(`--grace must be at most ${GRACE_MAX_HOURS}h, not "${text(options, "grace")}"`);
      const input = { id, graceMs, creator: by("roll").actor };
      const rolled = await rollKey({ db, clock, pepper: secrets.pepper }, input, (tx, { old, ...key }) => {
        const after = { replacedBy: key.id, endsAt: key.oldKeyEndsAt.toISOString() };
        return recordOnKey(tx, clock, old, by("roll"), { action: "key.rolled", id, after });
      });
      return { ...rolled, oldKeyEndsAt: rolled.oldKeyEndsAt.toISOString() };
    },
    (rolled) =>
      `${rolled.key}\n\n${rolled.id} is shown only once. ${rolled.replaces} stops working at ${showTime(rolled.oldKeyEndsAt)} UTC.`,
  );

  verb(
    limitOptions(
      key
        .command("edit")
        .description("change a key's name, scopes, allowlist or limits; takes effect with the next request")
        .argument("<id>")
        .option("--name <name>", "a name for the key")
        .option("--scopes <a,b>", "the scopes of the key")
        .option("--allow-ips <c,d>", 'addresses and CIDR ranges that can use it, or "any"'),
      OR_NONE,
    ),
    async ({ db, clock }, options, [id = ""]) => {
      const changes = {
        name: text(options, "name"),
        scopes: listed(text(options, "scopes")),
        allowedIps: text(options, "allowIps") === "any" ? [] : givenIps(options),
      };
      const limits = givenLimits(options);
      if (Object.values({ ...changes, ...limits }).every((change) => change === undefined))
        throw new UsageError(
          "nothing to change; use --name, --scopes, --allow-ips, --max-order, --max-day or --velocity",
        );
      const changed = await changeKey({ db, clock }, id, { ...changes, limits }, (tx, { before, after }) =>
        recordOnKey(tx, clock, before, by("edit"), {
          action: "key.changed",
          id,
          before: keySummary(before),
          after: keySummary(after),
        }),
      );
      return toView(changed.after);
    },
    (row) => `changed ${row.id} (${row.prefix}…${row.lastFour})`,
  );

  verb(
    key
      .command("unfreeze")
      .description("let a key place orders again that was frozen for spending far more than usual")
      .argument("<id>"),
    async ({ db, clock }, _options, [id = ""]) =>
      toView(
        await unfreezeKey({ db, clock }, id, (tx, key) =>
          recordOnKey(tx, clock, key, by("unfreeze"), {
            action: "key.unfrozen",
            id,
            before: { frozenAt: key.frozenAt?.toISOString() ?? null },
          }),
        ),
      ),
    (row) => `${row.id} (${row.prefix}…${row.lastFour}) can place orders`,
  );

  verb(
    key.command("revoke").description("revoke a key at once, on every node").argument("<id>"),
    async ({ db, clock }, _options, [id = ""]) =>
      toView(
        await revokeKey(db, clock, id, (tx, key) => {
          const before = { name: key.name, lastFour: key.lastFour };
          return recordOnKey(tx, clock, key, by("revoke"), { action: "key.revoked", id, before });
        }).catch(explainUnconfirmed),
      ),
    (row) => `revoked ${row.id} (${row.prefix}…${row.lastFour})`,
    { statementTimeoutMs: REVOKE_TIMEOUT_MS },
  );
}

const REVOKE_TIMEOUT_MS = 8_000;

/** A primary that has lost its standby never confirms a commit. Someone who revokes a leaked key must know that at once. */
function explainUnconfirmed(cause: unknown): never {
  if (!isDatabaseUnavailable(cause)) throw cause;
  throw new Error(
    `the database did not confirm the revocation within ${REVOKE_TIMEOUT_MS / 1_000} s, so the key may still be accepted; if this is an old primary, set DATABASE_URL to the new one and run the command again`,
    { cause },
  );
}

/** Who changed a key: this command, without an address. */
const by = (name: string): By => ({ actor: { kind: "command", id: `scrip key ${name}` } });

/** An empty list would allow any address. It usually means that a variable was not set. */
function givenIps(options: Options): string[] | undefined {
  const ranges = listed(text(options, "allowIps"));
  if (ranges?.length === 0) throw new UsageError("--allow-ips is empty; omit it to allow any address");
  return ranges;
}

/** A key that is already expired is a mistake. */
function expiry(options: Options, now: Date): Date | undefined {
  const time = timeOf(options, "expiresAt");
  if (time !== undefined && time <= now) throw new UsageError("--expires-at must be in the future");
  return time;
}

type KeyView = ReturnType<typeof toView>;

const keyTable = (data: readonly KeyView[]): string =>
  table(
    [
      "ID",
      "KEY",
      "STATE",
      { heading: "LAST USED (UTC)", optional: true },
      { heading: "NAME", cut: true, optional: true },
      { heading: "RESELLER", optional: true },
      { heading: "SCOPES", cut: true, optional: true },
    ],
    data.map((row) => [
      row.id,
      `${row.prefix}…${row.lastFour}`,
      stateCell(row),
      row.lastUsedAt === undefined ? "never" : showTime(row.lastUsedAt),
      row.name,
      row.resellerId,
      row.scopes.join(","),
    ]),
  );

function stateCell({ revokedAt, expiresAt, frozenAt }: KeyView): Cell {
  if (revokedAt !== undefined) return { text: "revoked", style: "dim" };
  if (expiresAt !== undefined && new Date(expiresAt) <= new Date()) return { text: "expired", style: "dim" };
  if (frozenAt !== undefined) return { text: "frozen", style: "red" };
  return { text: "active", style: "green" };
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
  ...limitsView(row),
  createdAt: row.createdAt.toISOString(),
  ...(row.expiresAt ? { expiresAt: row.expiresAt.toISOString() } : {}),
  ...(row.replacesId ? { replaces: row.replacesId } : {}),
  ...(row.replacedById ? { replacedBy: row.replacedById } : {}),
  ...(row.revokedAt ? { revokedAt: row.revokedAt.toISOString() } : {}),
  ...(row.lastUsedAt ? { lastUsedAt: row.lastUsedAt.toISOString() } : {}),
  ...(row.lastUsedIp ? { lastUsedIp: row.lastUsedIp } : {}),
});
