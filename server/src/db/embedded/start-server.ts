import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { LOOPBACK } from "./choose-port.ts";
import type { Cluster } from "./cluster.ts";
import { giveData } from "./give-data.ts";
import { lastLines, serverEnvironment } from "./run-program.ts";
import { dataDirectoryArgument } from "./server-account.ts";
import { openServerLog, type ServerLog } from "./server-log.ts";
import { errorMessage } from "./system-error.ts";

/** A PostgreSQL that we started and that may not be ready yet. */
export type StartedServer = {
  pid: number;
  hasEnded(): boolean;
  /** Why it ended. */
  findFailure(): Promise<StartFailure>;
  /** Whether it recovered from a crash. */
  hasRecovered(): Promise<boolean>;
};

/** `busy` is temporary: another server is starting, or children of a killed one still exist. */
export type StartFailure = { kind: "busy" | "port_taken" | "fatal"; reason: string };

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: LOOPBACK,
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "256MB",
  max_wal_size: "2GB",
  // Statements have codes and secrets as parameters. Neither must be logged.
  log_statement: "none",
  log_parameter_max_length: "0",
  log_parameter_max_length_on_error: "0",
  log_error_verbosity: "terse",
  log_checkpoints: "off",
  // `findFailure` searches for the pid.
  log_line_prefix: "%m [%p] ",
};

const BUSY = /lock file .* (already exists|is empty)|pre-existing shared memory block/;
const PORT_TAKEN = /could not bind|could not create any TCP\/IP sockets/;
const RECOVERY = /automatic recovery in progress|was interrupted/;

/** Resolves when the process exists. Its users find out whether it serves. */
export async function startServer(cluster: Cluster, port: number): Promise<StartedServer> {
  const { layout, binaries, accounts } = cluster;
  if (accounts.account !== undefined) await giveData(layout.data, accounts.account);
  const log = await openServerLog(layout.log, accounts.owner);
  try {
    const settings = { ...SETTINGS, port: String(port), ...cluster.settings };
    const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const child = spawn(
      binaries.postgres,
      ["-D", dataDirectoryArgument(layout.data, accounts.account), ...args],
      {
        cwd: layout.data,
        // Its own session, so that an interrupt in our terminal does not reach it while we drain.
        detached: true,
        stdio: ["ignore", log.file.fd, log.file.fd],
        env: serverEnvironment(),
        ...accounts.account,
      },
    );
    await once(child, "spawn");
    child.unref();
    return describe(child, log);
  } catch (error) {
    throw new Error(`failed to start PostgreSQL: ${errorMessage(error)}`, { cause: error });
  } finally {
    await log.file.close();
  }
}

function describe(child: ChildProcess, log: ServerLog): StartedServer {
  const pid = child.pid as number;
  return {
    pid,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    findFailure: async () => explain(pid, child, await log.read()),
    hasRecovered: async () => RECOVERY.test(await log.read()),
  };
}

function explain(pid: number, child: ChildProcess, output: string): StartFailure {
  // Two processes that start PostgreSQL at the same time share the log. Ours wrote the lines with its pid, if it got
  // that far.
  const own = output.split("\n").filter((line) => line.includes(`[${pid}]`));
  const text = own.length > 0 ? own.join("\n") : output;
  const ending = child.signalCode ?? `exit code ${child.exitCode}`;
  const reason = lastLines(text) || ending;
  // Exit code 0: another process joined it and was the last to leave before we could join.
  if (BUSY.test(text) || child.exitCode === 0 || child.signalCode !== null) return { kind: "busy", reason };
  if (PORT_TAKEN.test(text)) return { kind: "port_taken", reason };
  return { kind: "fatal", reason };
}
