import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type MemberPorts, memberEnvironment } from "./configs.ts";
import type { EtcdApi } from "./options.ts";
import type { Programs } from "./programs.ts";
import { type Daemon, pidsIn, sendSignal, type Workplace } from "./workplace.ts";

/** One machine of the cluster: Patroni and its PostgreSQL. */
export type Member = MemberPorts & {
  startPatroni(): Promise<void>;
  hasPatroni(): boolean;
  signalPatroni(signal: NodeJS.Signals): void;
  /** Only the postmaster, or all its processes. */
  signalPostmaster(signal: NodeJS.Signals): Promise<void>;
  signalPostgres(signal: NodeJS.Signals): Promise<void>;
  postgresPids(): Promise<number[]>;
  untilPatroniEnds(): Promise<void>;
};

export type MemberInput = {
  workplace: Workplace;
  programs: Programs;
  configPath: string;
  etcdPort: number;
  etcdApi: EtcdApi;
  password: string;
};

/** A postmaster forks while its processes are counted, so they are counted until there are no new ones. */
const ROUNDS_MAX = 20;
const ROUND_PAUSE_MS = 10;

export function describeMember(ports: MemberPorts, input: MemberInput): Member {
  const { workplace, programs } = input;
  const dataDir = join(workplace.folder, "data");
  const ownFolder = join(dataDir, ports.name);
  let patroni: Daemon | undefined;
  return {
    ...ports,
    async startPatroni() {
      patroni = await workplace.start(
        ports.name,
        programs.patroni,
        [input.configPath],
        memberEnvironment(ports, { ...input, dataDir, postgresBin: programs.postgresBin }),
      );
    },
    hasPatroni: () => patroni !== undefined && !patroni.hasEnded(),
    signalPatroni: (signal) => patroni?.signal(signal),
    async signalPostmaster(signal) {
      const pid = await postmasterOf(ownFolder);
      if (pid === undefined) throw new Error(`${ports.name} has no postmaster`);
      sendSignal(pid, signal);
    },
    async signalPostgres(signal) {
      const known = new Set<number>();
      for (let round = 0; round < ROUNDS_MAX; round += 1) {
        const fresh = (await pidsIn(ownFolder)).filter((pid) => !known.has(pid));
        if (fresh.length === 0) return;
        for (const pid of fresh.sort((left, right) => left - right)) {
          sendSignal(pid, signal);
          known.add(pid);
        }
        await wait(ROUND_PAUSE_MS);
      }
    },
    postgresPids: () => pidsIn(ownFolder),
    async untilPatroniEnds() {
      await patroni?.ended;
    },
  };
}

/** The file of a killed server names no process, or a process of another program. */
async function postmasterOf(folder: string): Promise<number | undefined> {
  const text = await readFile(join(folder, "postmaster.pid"), "utf8").catch(() => "");
  const pid = Number(text.split("\n", 1)[0]);
  return (await pidsIn(folder)).includes(pid) ? pid : undefined;
}
