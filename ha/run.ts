// `npm run ha`: Scrip on a Patroni cluster of this machine, while the cluster fails; see options.ts for what it takes.
import { randomInt } from "node:crypto";
import { closeCalls } from "../chaos/call.ts";
import { runHa } from "./ha.ts";
import { parseOptions } from "./options.ts";
import { findPrograms } from "./programs.ts";
import { describeFindings, describeTable, findRowFaults, isClean } from "./report.ts";
import { openWorkplace } from "./workplace.ts";
import { writeDocs } from "./write-docs.ts";

const parsed = parseOptions(process.argv.slice(2), () => randomInt(2 ** 31));
if ("help" in parsed) {
  console.log(parsed.help);
  process.exit(0);
}
if ("mistake" in parsed) {
  console.error(`${parsed.mistake}; npm run ha -- --help tells what there is`);
  process.exit(2);
}
const { options } = parsed;
const programs = await findPrograms(options.patroni);
if ("missing" in programs) {
  console.error(programs.missing);
  process.exit(1);
}
const beganMs = performance.now();
const say = (line: string) =>
  console.log(`${String(Math.round((performance.now() - beganMs) / 1_000)).padStart(5)} s  ${line}`);
say(
  `seed ${options.seed}; Patroni ${programs.patroniVersion}, PostgreSQL ${programs.postgresVersion}, HAProxy ${programs.haproxyVersion}`,
);
const workplace = await openWorkplace();
const killers: (() => void)[] = [];
const INTERRUPTED = 130;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    say(`${signal}: ending everything`);
    for (const kill of killers) kill();
    void workplace.close(options.keep).finally(() => process.exit(INTERRUPTED));
  });
}
try {
  const result = await runHa({
    options,
    programs,
    workplace,
    say,
    onProcesses: (kill) => killers.push(kill),
  });
  console.log(`\n${describeTable(result.rows)}\n\n${describeFindings(result.findings)}`);
  for (const row of result.rows)
    for (const fault of findRowFaults(row)) console.log(`FAILED ${row.via} ${row.fault}: ${fault}`);
  if (options.write) await writeDocs(result, options, programs);
  process.exitCode = isClean(result) ? 0 : 1;
} finally {
  for (const kill of killers) kill();
  closeCalls();
  await workplace.close(options.keep);
  if (options.keep) say(`kept ${workplace.folder}`);
}
