import { connectDatabase } from "../../src/db/database.ts";
import { runNextJob } from "../../src/jobs/run-job.ts";
import { openJobDeps } from "../builders/job-desk.ts";
import { createHandClock } from "../hand-clock.ts";
import type { JobInput, ReadyMessage } from "./fork-node.ts";

/** Works on the jobs of a database in a separate process, which a test kills. */
const { input } = JSON.parse(process.argv[2] ?? "") as { input: JobInput };
const db = connectDatabase({
  connectionString: input.connectionString,
  applicationName: "scrip test jobs",
  poolSize: 4,
  onConnectionLost: () => {},
});
const deps = await openJobDeps(db, createHandClock(new Date(input.nowMs)));
process.send?.({ ready: { port: 0 } } satisfies ReadyMessage);
while (await runNextJob(deps));
await db.close();
