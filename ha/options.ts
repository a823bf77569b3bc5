import { parseArgs } from "node:util";
import { FAULT_NAMES, type FaultName } from "./fault-names.ts";

/** How Scrip reaches the primary: all members in DATABASE_URL, or one address of HAProxy. */
export const VIAS = ["hosts", "haproxy"] as const;
export type Via = (typeof VIAS)[number];
export type EtcdApi = "v2" | "v3";

export type HaOptions = {
  faults: readonly FaultName[];
  vias: readonly Via[];
  /** Calm load before each fault and after its end. */
  calmSeconds: number;
  seed: number;
  isAsync: boolean;
  keep: boolean;
  write: boolean;
  /** A different Patroni than the installed one. */
  patroni: string | undefined;
  /** Undefined: the API that is safe with the installed Patroni. */
  etcdApi: EtcdApi | undefined;
};

export type ParsedOptions = { options: HaOptions } | { help: string } | { mistake: string };

const CALM_SECONDS = 3;
const CALM_SECONDS_MAX = 600;
/** With asynchronous replication the death of a leader loses orders. */
const ASYNC_FAULTS: readonly FaultName[] = ["kill-both"];

export const HELP = `npm run ha -- [options]: Scrip on a Patroni cluster on this machine, while the cluster fails.

  --faults a,b           only these faults, in this order (default: all; see below)
  --via hosts|haproxy|both
                         DATABASE_URL with all members, or through HAProxy, or one after the other (default: both)
  --seconds N            calm load before and after each fault (default: ${CALM_SECONDS})
  --seed N               the seed of the callers' random choices (default: random)
  --async                asynchronous replication and a standby that lags: must report lost orders and exit with 1
  --etcd v2|v3           the API of etcd that Patroni uses (default: v3, or v2 for Patroni older than 3.0.3)
  --patroni PATH         a different Patroni than the one on PATH
  --keep                 keep the folder with all logs
  --write                put the table into docs/reliability.md
  --help                 this text

Faults: ${FAULT_NAMES.join(", ")}

Exit code: 0 when no order was lost or duplicated and every limit held, 1 otherwise, 2 for wrong options.
Needs Debian's packages patroni, etcd-server, haproxy and a PostgreSQL server.`;

/** Reads the command line. A mistake is returned as one line. */
export function parseOptions(args: readonly string[], randomSeed: () => number): ParsedOptions {
  let values: ReturnType<typeof read>;
  try {
    values = read(args);
  } catch (error) {
    return { mistake: error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error) };
  }
  if (values.help) return { help: HELP };
  const isAsync = values.async ?? false;
  const faults = values.faults?.split(",") ?? (isAsync ? ASYNC_FAULTS : FAULT_NAMES);
  const unknown = faults.find((name) => !isFaultName(name));
  if (unknown !== undefined) return { mistake: `--faults: unknown fault ${JSON.stringify(unknown)}` };
  const via = values.via ?? (isAsync ? "hosts" : "both");
  const vias = VIAS.filter((one) => via === one || via === "both");
  if (vias.length === 0) return { mistake: "--via must be hosts, haproxy or both" };
  const calmSeconds = Number(values.seconds ?? CALM_SECONDS);
  if (!(calmSeconds > 0 && calmSeconds <= CALM_SECONDS_MAX))
    return { mistake: `--seconds must be above 0 and at most ${CALM_SECONDS_MAX}` };
  const seed = values.seed === undefined ? randomSeed() : Number(values.seed);
  if (!Number.isSafeInteger(seed) || seed < 0) return { mistake: "--seed must be an integer" };
  if (isAsync && values.write) return { mistake: "--write is for a run with synchronous replication" };
  const { etcd } = values;
  if (etcd !== undefined && etcd !== "v2" && etcd !== "v3") return { mistake: "--etcd must be v2 or v3" };
  return {
    options: {
      faults: faults.filter(isFaultName),
      vias,
      calmSeconds,
      seed,
      isAsync,
      keep: values.keep ?? false,
      write: values.write ?? false,
      patroni: values.patroni,
      etcdApi: etcd,
    },
  };
}

const isFaultName = (name: string): name is FaultName => (FAULT_NAMES as readonly string[]).includes(name);

const read = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    options: {
      faults: { type: "string" },
      via: { type: "string" },
      seconds: { type: "string" },
      seed: { type: "string" },
      async: { type: "boolean" },
      etcd: { type: "string" },
      patroni: { type: "string" },
      keep: { type: "boolean" },
      write: { type: "boolean" },
      help: { type: "boolean" },
    },
  }).values;
