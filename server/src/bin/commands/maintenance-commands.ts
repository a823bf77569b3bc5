import { existsSync } from "node:fs";
import type { Command } from "commander";
import { type Check, examine } from "../../admin/doctor.ts";
import { type Config, readConfig } from "../../config.ts";
import { checkServer } from "../../db/check-server.ts";
import { refuseTransactionPooler } from "../../db/detect-pooler.ts";
import { refuseOpenDirectory } from "../../db/embedded/open-data-dir.ts";
import { migrate } from "../../db/migrate.ts";
import { hasServerSecrets, loadServerSecrets } from "../../keys/server-secrets.ts";
import { openKeyring } from "../../vault/keyring.ts";
import { keepPartitions } from "../keep-partitions.ts";
import { openDatabase } from "../open-context.ts";
import { print } from "../verb.ts";

/** `migrate` and `doctor` work on a database that might not be migrated, so they open it themselves. */
export function migrateCommand(program: Command): void {
  program
    .command("migrate")
    .description("apply migrations, and keep the partitions of tables by time")
    .option("--json", "print one JSON document")
    .action(async ({ json }: { json?: boolean }) => {
      const { db, close } = await openDatabase(readConfig(process.env), { ...quietly, mayCreate: true });
      try {
        await checkServer(db);
        const applied = await migrate(db);
        await keepPartitions(db, new Date());
        print(
          json
            ? JSON.stringify({ applied })
            : applied.length > 0
              ? `applied ${applied.join(", ")}`
              : "up to date",
        );
      } finally {
        await close();
      }
    });
}

export function doctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("check the configuration and the database")
    .option("--json", "print one JSON document")
    .action(async ({ json }: { json?: boolean }) => {
      const result = await examineThis();
      print(json ? JSON.stringify(result, null, 2) : result.checks.map(describe).join("\n"));
      if (!result.ok) process.exitCode = 1;
    });
}

const quietly = {
  mayCreate: false,
  applicationName: "scrip command",
  poolSize: 2,
  statementTimeoutMs: 0,
  tell: () => {},
  onConnectionLost: () => {},
};

function examineThis() {
  let config: Config;
  return examine({
    settings: async () => {
      config = readConfig(process.env);
      if (existsSync(config.dataDir)) await refuseOpenDirectory(config.dataDir);
      return config.databaseUrl
        ? "uses the database of DATABASE_URL"
        : `uses the embedded database in ${config.dataDir}`;
    },
    openDatabase: async () => openDatabase(config, quietly),
    checkPooler: async () => {
      if (config.databaseUrl) await refuseTransactionPooler(config.databaseUrl.reveal());
    },
    openSecrets: async (db) => {
      const mayCreate = !(await hasServerSecrets(db));
      const keyring = await openKeyring(config.masterKeys, config.dataDir, { mayCreate });
      await loadServerSecrets(db, keyring.masterKeys());
    },
  });
}

const describe = ({ name, ok, warning, detail }: Check): string =>
  `${warning ? "warn" : ok ? "ok  " : "FAIL"}  ${name}: ${detail}`;
