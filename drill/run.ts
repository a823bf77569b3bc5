// `npm run drill`: a backup, a disaster, a restore to a time before it, and the proof that no code is sold twice.
import { parseArgs } from "node:util";
import { closeCalls } from "../chaos/call.ts";
import { runDrill } from "./drill.ts";

const SECONDS = 20;
const SECONDS_MAX = 3_600;
const HELP = `usage: npm run drill -- [options]

  --seconds N       how long orders are placed before the disaster (${SECONDS})
  --no-reconcile    leave out scrip stock reconcile-restore: the drill must then find codes that are sold twice
  --help            show this text

PostgreSQL archives its log while orders are placed. A base backup is made under load. Then everything is killed, and the database
is restored to a time before the disaster. Exits with 1 if an order from before that time is lost, if a code is sold twice, or if
scrip audit finds anything.`;

const { values } = parseArgs({
  options: { seconds: { type: "string" }, "no-reconcile": { type: "boolean" }, help: { type: "boolean" } },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const seconds = Number(values.seconds ?? SECONDS);
if (!(seconds > 0 && seconds <= SECONDS_MAX)) {
  console.error(`--seconds must be above 0 and at most ${SECONDS_MAX}\n\n${HELP}`);
  process.exit(2);
}
const beganMs = performance.now();
const say = (line: string) =>
  console.log(`${String(Math.round((performance.now() - beganMs) / 1_000)).padStart(5)} s  ${line}`);
const result = await runDrill({ seconds, reconciles: values["no-reconcile"] !== true, say });
closeCalls();
const rows: [string, string | number][] = [
  ["orders acknowledged before the restore point", result.toldBefore],
  ["orders acknowledged after it, which a restore loses", result.toldAfter],
  ["restore, twice: to the point and to the end", `${(result.restoreMs / 1_000).toFixed(1)} s`],
  ["codes set aside", result.setAside],
  ["orders sold afterwards, until the stock was empty", result.soldAfterwards],
  ["**orders from before the restore point that are lost**", result.lost.length],
  ["**codes sold twice**", result.soldTwice.length],
  ["**audit**", result.auditIsClean ? "clean" : "broken"],
];
console.log(
  ["", "| what | |", "|---|---|", ...rows.map(([what, value]) => `| ${what} | ${value} |`), ""].join("\n"),
);
const isClean =
  result.lost.length === 0 && result.soldTwice.length === 0 && result.auditIsClean && result.toldAfter > 0;
process.exitCode = isClean ? 0 : 1;
