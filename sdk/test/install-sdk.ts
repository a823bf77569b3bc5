import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runNpm } from "../../scripts/run-npm.mjs";
import { buildPackage, packPackage } from "../scripts/build-package.ts";

/** A folder of a customer's, into which the SDK was installed from its .tgz. */
export type Installed = {
  folder: string;
  /** The .tgz that it came from. */
  tarball: string;
  remove(): void;
};

export const SDK_FOLDER = dirname(import.meta.dirname);

/** Built anew each time, so that what is tested is the source as it is now. Nothing comes from the network. */
export async function installSdk(): Promise<Installed> {
  const work = mkdtempSync(join(tmpdir(), "scrip-sdk-"));
  const remove = () => rmSync(work, { recursive: true, force: true });
  try {
    buildPackage(join(work, "built"));
    const tarball = await packPackage(join(work, "built"), work);
    const folder = join(work, "customer");
    mkdirSync(folder);
    writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
    await runNpm(["install", tarball, "--offline", "--ignore-scripts", "--cache", join(work, "cache")], {
      cwd: folder,
      what: "install the SDK",
      stdio: ["ignore", "ignore", 2],
    });
    return { folder, tarball, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
