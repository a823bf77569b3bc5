import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbedded } from "../../server/src/db/embedded/open-embedded.ts";
import { runProgram } from "./run-program.ts";

export type Postgres = { version: string; url: string; stop(): Promise<void> };

/** Debian's package of the oldest version that is served. */
const PACKAGED = "/usr/lib/postgresql/15/bin";

/** PostgreSQL 15 with its default settings on loopback, or the embedded one where 15 is not installed. */
export async function startPostgres(): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), "scrip-image-db-"));
  if (existsSync(join(PACKAGED, "initdb"))) return startPackaged(folder);
  const embedded = await openEmbedded({ dataDir: folder, log: () => {} });
  return {
    version: "embedded PostgreSQL",
    url: embedded.connectionString,
    async stop() {
      await embedded.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startPackaged(folder: string): Promise<Postgres> {
  const [uid, gid] = await Promise.all(["-u", "-g"].map((flag) => runProgram("id", [flag, "postgres"])));
  const asPostgres = (command: string, ...args: string[]) =>
    runProgram("setpriv", [
      `--reuid=${uid}`,
      `--regid=${gid}`,
      "--clear-groups",
      join(PACKAGED, command),
      ...args,
    ]);
  const password = randomBytes(16).toString("hex");
  const passwordFile = join(folder, "password");
  await writeFile(passwordFile, password);
  for (const path of [folder, passwordFile]) await chown(path, Number(uid), Number(gid));
  await chmod(folder, 0o700);
  const data = join(folder, "data");
  const port = await freePort();
  await asPostgres("initdb", "-D", data, "-U", "scrip", "-A", "scram-sha-256", `--pwfile=${passwordFile}`);
  const options = `-c listen_addresses=127.0.0.1 -c port=${port} -c unix_socket_directories=${folder}`;
  await asPostgres("pg_ctl", "start", "-w", "-D", data, "-l", join(folder, "log"), "-o", options);
  return {
    version: await runProgram(join(PACKAGED, "postgres"), ["--version"]),
    url: `postgres://scrip:${password}@127.0.0.1:${port}/postgres`,
    async stop() {
      await asPostgres("pg_ctl", "stop", "-m", "fast", "-D", data);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A port that was free a moment ago. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
