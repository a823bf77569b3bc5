import { writeSync } from "node:fs";
import { connectDatabase } from "../../src/db/database.ts";
import { refundOrder } from "../../src/fulfilment/refund/refund-order.ts";
import { loadServerSecrets } from "../../src/keys/server-secrets.ts";
import { createLog } from "../../src/lib/log.ts";
import { secret } from "../../src/lib/secret.ts";
import { createCodeDigest } from "../../src/vault/code-digest.ts";
import { createCodeVault } from "../../src/vault/code-vault.ts";
import { fixedKeyring } from "../../src/vault/keyring.ts";
import { createCrashWorker } from "../crash/crash-worker.ts";
import { createFailpoints } from "../crash/failpoints.ts";
import { createHandClock } from "../hand-clock.ts";
import type { ReadyMessage, WorkerJob } from "./fork-node.ts";
import { supplierOverLine } from "./supplier-line.ts";

/** Workers in a separate process, each on its own database, that all die together; see start-worker-process. */
const { input: jobs } = JSON.parse(process.argv[2] ?? "") as { input: WorkerJob[] };
const log = createLog("warn", process.stderr);
let underWay = jobs.length;
process.send?.({ ready: { port: 0 } } satisfies ReadyMessage);
await Promise.all(jobs.map(work));

async function work(job: WorkerJob, number: number): Promise<void> {
  const failpoints = createFailpoints(job.killAt, (point) => tell(number, point), dieTogether);
  const lookDb = connectDatabase({
    connectionString: job.connectionString,
    applicationName: "scrip test worker",
    poolSize: 4,
    onConnectionLost: () => {},
  });
  const db = failpoints.wrapDb(lookDb);
  const clock = createHandClock(new Date(job.nowMs));
  const keyring = fixedKeyring([secret(Buffer.from(job.masterKeyHex, "hex"))]);
  const { codeDigestKey } = await loadServerSecrets(lookDb, keyring.masterKeys());
  const worker = createCrashWorker({
    db,
    clock,
    keyring,
    lookDb,
    log,
    codeVault: createCodeVault(keyring),
    digestCode: createCodeDigest(codeDigestKey),
    wrapSupplier: (_, supplierId) => failpoints.wrapSupplier(supplierOverLine(supplierId)),
  });
  if (job.refund) await refundOrder(db, clock, job.refund);
  await worker.workUntilDone();
  await failpoints.end();
  await lookDb.close();
}

/** Written immediately, so that the passed points of a killed process are known. */
function tell(number: number, point: string): void {
  const STANDARD_OUTPUT = 1;
  writeSync(STANDARD_OUTPUT, `${number} ${point}\n`);
}

/** A worker that has reached its point stops there. When the last one has, all are killed. */
function dieTogether(): Promise<never> {
  underWay -= 1;
  if (underWay === 0) process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
}
