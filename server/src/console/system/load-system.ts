import { type Backup, findLastBackup } from "../../alerts/record-backup.ts";
import { type AuditRun, findLastAudit } from "../../audit/record-audit.ts";
import { type ListedProcess, listProcesses } from "../../db/primary/list-processes.ts";
import { scripVersion } from "../../db/primary/serving-process.ts";
import { type DatabaseFacts, readDatabaseFacts } from "../../db/read-facts.ts";
import { type Backlog, readBacklog } from "../../fulfilment/sweep-queries.ts";
import { readLetterBacklog } from "../../mail/letter-queries.ts";
import { keyIdOf } from "../../vault/seal.ts";
import { readDeliveryBacklog } from "../../webhooks/delivery/lane-queries.ts";
import type { ConsoleContext, ConsoleDeps } from "../session.ts";

export type SystemData = {
  version: string;
  nodeVersion: string;
  processes: readonly ListedProcess[];
  database: DatabaseFacts;
  orders: Backlog;
  deliveries: Awaited<ReturnType<typeof readDeliveryBacklog>>;
  letters: Awaited<ReturnType<typeof readLetterBacklog>>;
  sendsMail: boolean;
  /** Each identifies a master key without revealing it, the newest first. */
  masterKeyIds: readonly string[];
  audit: AuditRun | undefined;
  backup: Backup | undefined;
};

/** Facts about the running system. None of them is a secret. */
export async function loadSystem(
  deps: Pick<ConsoleDeps, "db" | "keyring" | "sendsMail">,
  { now }: Pick<ConsoleContext, "now">,
): Promise<SystemData> {
  const { db } = deps;
  const [processes, database, orders, deliveries, letters, audit, backup] = await Promise.all([
    listProcesses(db),
    readDatabaseFacts(db),
    readBacklog(db, now),
    readDeliveryBacklog(db, now),
    readLetterBacklog(db, now),
    findLastAudit(db),
    findLastBackup(db),
  ]);
  return {
    version: scripVersion(),
    nodeVersion: process.versions.node,
    ...{ processes, database, orders, deliveries, letters, audit, backup },
    sendsMail: deps.sendsMail,
    masterKeyIds: deps.keyring.masterKeys().map((key) => keyIdOf(key).toString("hex")),
  };
}
