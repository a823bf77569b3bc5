import { writeSync } from "node:fs";
import { connectDatabase } from "../db/database.ts";
import { refundOrder } from "../fulfilment/refund-order.ts";
import { loadServerSecrets } from "../keys/server-secrets.ts";
import { createLog } from "../lib/log.ts";
import { secret } from "../lib/secret.ts";
import { createCodeDigest } from "../vault/code-digest.ts";
import { createCodeVault } from "../vault/code-vault.ts";
import { fixedKeyring } from "../vault/keyring.ts";
import { createCrashWorker } from "./crash-worker.ts";
import { createFailpoints } from "./failpoints.ts";
import { createHandClock } from "./hand-clock.ts";
import type { WorkerJob } from "./start-worker-process.ts";
import { supplierOverLine } from "./supplier-line.ts";

/** A worker in a process of its own that dies at the point it is told; see start-worker-process. */
const [, , json = ""] = process.argv;
const { connectionString, masterKeyHex, nowMs, killAt, refund } = JSON.parse(json) as WorkerJob;

const STANDARD_OUTPUT = 1;
const failpoints = createFailpoints(killAt, (point) => void writeSync(STANDARD_OUTPUT, `${point}\n`));
const lookDb = connectDatabase({
  connectionString,
  applicationName: "scrip test worker",
  poolSize: 4,
  onConnectionLost: () => {},
});
const db = failpoints.wrapDb(lookDb);
const clock = createHandClock(new Date(nowMs));
const keyring = fixedKeyring([secret(Buffer.from(masterKeyHex, "hex"))]);
const { codeDigestKey } = await loadServerSecrets(lookDb, keyring.masterKeys());
const worker = createCrashWorker({
  db,
  clock,
  keyring,
  lookDb,
  log: createLog("warn", process.stderr),
  codeVault: createCodeVault(keyring),
  digestCode: createCodeDigest(codeDigestKey),
  wrapSupplier: (_, supplierId) => failpoints.wrapSupplier(supplierOverLine(supplierId)),
});
if (refund) await refundOrder(db, clock, refund);
await worker.workUntilDone();
failpoints.end();
await lookDb.close();
