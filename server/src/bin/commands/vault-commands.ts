import { setTimeout as wait } from "node:timers/promises";
import type { Command } from "commander";
import { lockKeyFile } from "../../admin/rotate-queries.ts";
import { type Rotated, rotateVault } from "../../admin/rotate-vault.ts";
import { type KeyStatus, readVaultStatus, type VaultStatus } from "../../admin/vault-status.ts";
import { addMasterKey } from "../../vault/add-master-key.ts";
import { keyFilePath } from "../../vault/key-file.ts";
import type { Context } from "../open-context.ts";
import { startProgress } from "../output/progress.ts";
import { table } from "../output/table.ts";
import { UsageError, verb } from "../verb.ts";

export function vaultCommands(program: Command): void {
  const vault = program.command("vault").description("the master keys, and what is sealed under them");

  verb(
    vault
      .command("rotate")
      .description("bring codes, supplier configs and server secrets under the newest master key")
      .option("--new-key", "make a new master key first; running servers take it up by themselves")
      .addHelpText("after", ROTATE_HELP),
    async (context, options) => {
      if (options.newKey === true) await addKey(context);
      const progress = startProgress("values rewrapped");
      const rotated = await rotateVault(context, {
        onProgress: (done, total) => progress.advance(done, done / total),
      }).finally(() => progress.end());
      if (!rotated.complete || rotated.failed > 0) process.exitCode = 1;
      tellTroubles(rotated);
      return rotated;
    },
    ({ key, rewrapped, current, failed }) =>
      `rewrapped ${rewrapped}, current ${current}, failed ${failed}; the newest key is ${key}`,
  );

  verb(
    vault
      .command("status")
      .description("how many values are sealed under which master key, and which key is no longer needed")
      .addHelpText("after", STATUS_HELP),
    async (context) => {
      const status = await readVaultStatus(context.db, context);
      const inFile = context.config.masterKeys.length === 0;
      return { source: inFile ? keyFilePath(context.config.dataDir) : "SCRIP_MASTER_KEY", ...status };
    },
    describeStatus,
  );
}

const ROTATE_HELP = `
It works while servers run and sell, and can be stopped and run again. It exits with 1 when a value did not open (it names
the id), or when a row was locked for too long: then run it again.

Keys in DATA_DIR/master.key: scrip vault rotate --new-key
Keys in SCRIP_MASTER_KEY: make one with openssl rand -base64 32. Restart every process with SCRIP_MASTER_KEY=OLD,NEW, then
again with NEW,OLD, then run scrip vault rotate. The first key seals and all of them open, so every process must know the new
key before any seals with it. With a single process you can skip the first restart.
Remove the old key when scrip vault status says so.`;

const STATUS_HELP = `
Keys are named by four bytes of a hash, which tells nothing of the key. A key that is called removable can be taken out of
the key file or of SCRIP_MASTER_KEY, but backups of the database that were made before the rotation open with it alone.`;

async function addKey({ config, db, keyring }: Context): Promise<void> {
  if (config.masterKeys.length > 0)
    throw new UsageError(
      "the master keys are in SCRIP_MASTER_KEY: restart every process with SCRIP_MASTER_KEY=OLD,NEW, then with NEW,OLD, then run scrip vault rotate without --new-key",
    );
  await addMasterKey(keyFilePath(config.dataDir), {
    exclusively: (work) =>
      db.transaction(async (tx) => {
        await lockKeyFile(tx);
        return work();
      }),
    wait,
  });
  keyring.reload();
}

const SINGULAR = {
  codes: "code",
  supplierConfigs: "config of supplier",
  webhookSecrets: "webhook secret",
  serverSecrets: "server secret",
};

function tellTroubles({ failures, failed, complete }: Rotated): void {
  for (const { kind, id } of failures) process.stderr.write(`scrip: ${SINGULAR[kind]} ${id} does not open\n`);
  if (failed > failures.length) process.stderr.write(`scrip: and ${failed - failures.length} more\n`);
  if (!complete)
    process.stderr.write("scrip: others kept rows or transactions open; run scrip vault rotate again\n");
}

const COLUMNS = [
  "KEY",
  { heading: "CODES", right: true },
  { heading: "SUPPLIER CONFIGS", right: true },
  { heading: "WEBHOOK SECRETS", right: true },
  { heading: "SERVER SECRETS", right: true },
  "",
] as const;

function describeStatus({ source, keys, unreadable, settled }: VaultStatus & { source: string }): string {
  const rows = keys.map((key) => [
    key.id,
    String(key.values.codes),
    String(key.values.supplierConfigs),
    String(key.values.webhookSecrets),
    String(key.values.serverSecrets),
    describeKey(key, source),
  ]);
  return [
    table(COLUMNS, rows),
    ...(unreadable > 0 ? [`${unreadable} value(s) are not sealed values at all`] : []),
    ...(settled ? [] : ["a transaction is still writing: ask again before a key is removed"]),
  ].join("\n");
}

function describeKey({ newest, position, removable }: KeyStatus, source: string): string {
  if (newest) return "newest";
  if (position === undefined) return `not at hand: put it back into ${source}`;
  return removable
    ? `no longer needed: key ${position} of ${source} may be removed; keep it with backups from before`
    : "older: run scrip vault rotate";
}
