import { execFile } from "node:child_process";
import { chown, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";

const PRIVATE_DIRECTORY = 0o700;
const COPY_TIMEOUT_MS = 120_000;
/** The standby gets the log from the primary. */
const LEFT_OUT = new Set(["pg_wal", "postmaster.pid", "postmaster.opts", "pg_replslot", "pg_stat_tmp"]);
const EMPTY = ["pg_wal", "pg_wal/archive_status", "pg_wal/summaries", "pg_replslot", "pg_stat_tmp"];

/** Copies the files of a running primary into a new standby, as a base backup does. */
export async function copyRunning(adminUrl: string, from: string, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("select pg_backup_start('storm', true)");
    const { uid, gid } = await stat(from);
    await mkdir(to, { recursive: true, mode: PRIVATE_DIRECTORY });
    await chown(to, uid, gid);
    const names = (await readdir(from)).filter((name) => !LEFT_OUT.has(name));
    await copyFiles(
      names.map((name) => join(from, name)),
      to,
    );
    const { rows } = await client.query<{ labelfile: string }>("select labelfile from pg_backup_stop(false)");
    for (const folder of EMPTY) {
      await mkdir(join(to, folder), { mode: PRIVATE_DIRECTORY });
      await chown(join(to, folder), uid, gid);
    }
    for (const [name, text] of [
      ["backup_label", rows[0]?.labelfile ?? ""],
      ["standby.signal", ""],
    ] as const) {
      await rm(join(to, name), { force: true });
      await writeFile(join(to, name), text);
      await chown(join(to, name), uid, gid);
    }
  } finally {
    await client.end();
  }
}

/** Files that vanish meanwhile make `cp` fail after it has copied the rest. The log makes up for them. */
async function copyFiles(paths: readonly string[], to: string): Promise<void> {
  try {
    await promisify(execFile)("cp", ["-a", ...paths, to], { timeout: COPY_TIMEOUT_MS });
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    const others = stderr.split("\n").filter((line) => line !== "" && !line.includes("No such file"));
    if (stderr === "" || others.length > 0) throw error;
  }
}
