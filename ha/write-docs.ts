import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { HaOptions } from "./options.ts";
import type { Programs } from "./programs.ts";
import { describeTable } from "./report.ts";
import type { HaResult } from "./result.ts";

const PAGE = fileURLToPath(new URL("../docs/reliability.md", import.meta.url));
const BEGIN = "<!-- npm run ha -- --write: begin -->";
const END = "<!-- npm run ha -- --write: end -->";

/** Replaces the table of the last run. */
export async function writeDocs(result: HaResult, options: HaOptions, programs: Programs): Promise<void> {
  const page = await readFile(PAGE, "utf8");
  await writeFile(PAGE, replaceBetween(page, describeRun(result, options, programs)));
}

function describeRun({ rows, orders, etcdApi }: HaResult, { seed }: HaOptions, programs: Programs): string {
  const { patroniVersion, postgresVersion, haproxyVersion } = programs;
  const about =
    `Seed ${seed}, ${availableParallelism()} cores. Patroni ${patroniVersion} with etcd (API ${etcdApi}), ` +
    `PostgreSQL ${postgresVersion}, HAProxy ${haproxyVersion}. ${orders} orders in all.`;
  return `${about}\n\n${describeTable(rows)}`;
}

/** Replaces the text between the two marks. A page without them is refused. */
export function replaceBetween(page: string, text: string): string {
  const [before, rest, ...more] = page.split(BEGIN);
  const [, after, ...others] = (rest ?? "").split(END);
  if (before === undefined || after === undefined || more.length > 0 || others.length > 0)
    throw new Error(`docs/reliability.md must have ${BEGIN} and ${END} once, in this order`);
  return `${before}${BEGIN}\n${text}\n${END}${after}`;
}
