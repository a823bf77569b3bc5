import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { INSIDE_V4, PUBLIC_V4, PUBLIC_V6 } from "./rebinding-names.ts";

export type Rebound = {
  registered: number;
  again: "fulfilled" | "rejected";
  outcomes: { name: string; error: string | null }[];
  flips: (string | null)[];
  /** Addresses inside that something was sent to. Must be empty. */
  reachedInside: string[];
  reachedPublic: number;
  /** Whose delivery ended first: that to a good name, while others wait for a name server that says nothing. */
  first: string;
};

const CHILD = new URL("./rebinding-child.ts", import.meta.url).pathname;
const RUN_MAX_MS = 60_000;
const run = promisify(execFile);

/** Whether a process can get a network and file systems of its own here. */
export const canIsolate = (): boolean =>
  spawnSync("unshare", ["-n", "-m", "ip", "link", "set", "lo", "up"]).status === 0;

/**
 * In a network of its own, whose only name server is the attacker's, and where the addresses inside and the public ones all
 * answer. Where that is not permitted: on this machine, with resolvers that ask the attacker's server, and no public address.
 */
export async function runRebinding(isIsolated: boolean): Promise<Rebound> {
  const options = { timeout: RUN_MAX_MS };
  if (!isIsolated)
    return JSON.parse((await run(process.execPath, [CHILD, "shared"], options)).stdout) as Rebound;
  const folder = mkdtempSync(join(tmpdir(), "scrip-dns-"));
  const resolvConf = join(folder, "resolv.conf");
  writeFileSync(resolvConf, "nameserver 127.0.0.1\n");
  const addresses = [PUBLIC_V4, PUBLIC_V6, "fd00::1", ...INSIDE_V4.slice(1, -1)];
  const script = [
    "ip link set lo up",
    ...addresses.map((address) => `ip addr add ${address}/${address.includes(":") ? 128 : 32} dev lo`),
    `mount --bind ${resolvConf} /etc/resolv.conf`,
    `exec ${process.execPath} ${CHILD} isolated`,
  ].join(" && ");
  try {
    return JSON.parse((await run("unshare", ["-n", "-m", "sh", "-c", script], options)).stdout) as Rebound;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
