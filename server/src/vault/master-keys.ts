import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Secret, secret } from "../lib/secret.ts";
import type { MasterKeys } from "./seal.ts";

const MASTER_KEY_FILE = "master.key";
const MASTER_KEY_BYTES = 32;

/** The master keys of the environment, or else the one kept in the data directory, made on the first start. */
export async function loadMasterKeys(
  configured: readonly Secret<Buffer>[],
  dataDir: string,
): Promise<MasterKeys> {
  const [newest, ...older] = configured;
  if (newest) return [newest, ...older];
  const path = join(dataDir, MASTER_KEY_FILE);
  return [secret((await readKeyFile(path)) ?? (await createKeyFile(path, dataDir)))];
}

async function readKeyFile(path: string): Promise<Buffer | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const key = Buffer.from(text.trim(), "base64");
  // The decoder skips what is not base64, so a damaged file could pass for another key.
  if (key.length !== MASTER_KEY_BYTES || key.toString("base64") !== text.trim())
    throw new Error(`${path} does not hold a master key of ${MASTER_KEY_BYTES} bytes`);
  return key;
}

/** Written whole under another name and then linked, so that two first starts agree on one key and none is torn. */
async function createKeyFile(path: string, dataDir: string): Promise<Buffer> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  await writeFile(draft, `${randomBytes(MASTER_KEY_BYTES).toString("base64")}\n`, {
    mode: 0o600,
    flag: "wx",
    flush: true,
  });
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const key = await readKeyFile(path);
  if (!key) throw new Error(`${path} could not be created`);
  return key;
}
