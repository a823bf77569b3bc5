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
  const vault = program.command("vault").description("master keys and what is encrypted under them");

  verb(
    vault
      .command("rotate")
      .description("re-encrypt everything under the newest master key")
      .option("--new-key", "first create a new master key; running servers pick it up")
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
      .description("show how many values each master key encrypts, and which key is no longer needed")
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
It works while servers run, and can be stopped and run again. The exit code is 1 when a value cannot be decrypted (its id is
printed) or when other transactions held rows for too long: then run it again.

Keys in DATA_DIR/master.key: scrip vault rotate --new-key
Keys in SCRIP_MASTER_KEY: create one with openssl rand -base64 32. Restart every process with SCRIP_MASTER_KEY=OLD,NEW, then
again with NEW,OLD, then run scrip vault rotate. The first key encrypts and all of them decrypt, so every process must know the
new key before any process encrypts with it. With a single process you can skip the first restart.
Remove the old key when scrip vault status says that it is no longer needed.`;

const STATUS_HELP = `
Keys are identified by four bytes of a hash, which reveals nothing about the key. You can remove a removable key from the key
file or from SCRIP_MASTER_KEY. Keep it with backups from before the rotation: they need it.`;

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
  totpSecrets: "TOTP secret of",
  uploads: "part of an uploaded file",
  serverSecrets: "server secret",
};

function tellTroubles({ failures, failed, complete }: Rotated): void {
  for (const { kind, id } of failures)
    process.stderr.write(`scrip: ${SINGULAR[kind]} ${id} cannot be decrypted\n`);
  if (failed > failures.length) process.stderr.write(`scrip: and ${failed - failures.length} more\n`);
  if (!complete)
    process.stderr.write("scrip: other transactions held rows for too long; run scrip vault rotate again\n");
}

const COLUMNS = [
  "KEY",
  { heading: "CODES", right: true },
  { heading: "SUPPLIER CONFIGS", right: true },
  { heading: "WEBHOOK SECRETS", right: true },
  { heading: "TOTP SECRETS", right: true },
  { heading: "UPLOADS", right: true },
  { heading: "SERVER SECRETS", right: true },
  "",
] as const;

function describeStatus({ source, keys, unreadable, settled }: VaultStatus & { source: string }): string {
  const rows = keys.map((key) => [
    key.id,
    String(key.values.codes),
    String(key.values.supplierConfigs),
    String(key.values.webhookSecrets),
    String(key.values.totpSecrets),
    String(key.values.uploads),
    String(key.values.serverSecrets),
    describeKey(key, source),
  ]);
  return [
    table(COLUMNS, rows),
    ...(unreadable > 0 ? [`${unreadable} value(s) are not encrypted values`] : []),
    ...(settled ? [] : ["a transaction is still writing: run this again before you remove a key"]),
  ].join("\n");
}

function describeKey({ newest, position, removable }: KeyStatus, source: string): string {
  if (newest) return "newest";
  if (position === undefined) return `missing: put it back into ${source}`;
  return removable
    ? `no longer needed: key ${position} of ${source} can be removed; keep it with older backups`
    : "old: run scrip vault rotate";
}
