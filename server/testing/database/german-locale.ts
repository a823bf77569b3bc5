import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { InstalledPostgres } from "./other-postgres.ts";

const NAME = "de_DE.UTF-8";
const TIMEOUT_MS = 60_000;
const READABLE_FOLDER = 0o755;

/** Whether this PostgreSQL has German messages and the machine can make the locale. Debian's packages have both. */
export const speaksGerman = ({ major }: InstalledPostgres): boolean =>
  existsSync("/usr/share/i18n/locales/de_DE") &&
  existsSync(`/usr/share/locale/de/LC_MESSAGES/postgres-${major}.mo`);

/** The settings and the environment with which a server writes its messages in German. Few machines have another locale than C. */
export async function makeGermanLocale() {
  const folder = await mkdtemp(join(tmpdir(), "scrip-locale-"));
  await chmod(folder, READABLE_FOLDER);
  const args = ["-i", "de_DE", "-f", "UTF-8", join(folder, NAME)];
  await promisify(execFile)("localedef", args, { timeout: TIMEOUT_MS });
  return {
    settings: { lc_messages: NAME },
    env: { LOCPATH: folder },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
