import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runNpm } from "../../scripts/run-npm.mjs";

const sdk = dirname(dirname(fileURLToPath(import.meta.url)));
const root = dirname(sdk);
const COMPILE_TIMEOUT_MS = 60_000;

/** The package from the source as it is now, in a folder of its own, which is emptied first. */
export function buildPackage(outDir: string): void {
  rmSync(outDir, { recursive: true, force: true });
  mkdirSync(outDir, { recursive: true });
  buildLib(join(outDir, "lib"));
  for (const name of ["README.md", "package.json"]) copyFileSync(join(sdk, name), join(outDir, name));
}

/** The JavaScript and its declarations. The folder is emptied first. */
export function buildLib(outDir: string): void {
  rmSync(outDir, { recursive: true, force: true });
  compile(outDir);
  fixImports(outDir);
}

/** Packs a folder that holds the package; the path of the .tgz. */
export async function packPackage(packageDir: string, destination: string): Promise<string> {
  const args = ["pack", packageDir, "--pack-destination", destination, "--ignore-scripts"];
  await runNpm(args, { cwd: root, what: "pack the SDK", stdio: ["ignore", "ignore", 2] });
  const { name, version } = JSON.parse(readFileSync(join(packageDir, "package.json"), "utf8"));
  const file = join(destination, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
  if (!existsSync(file)) throw new Error(`npm packed the SDK, and not as ${file}`);
  return file;
}

function compile(outDir: string): void {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const args = [compiler, "-p", join(sdk, "tsconfig.build.json"), "--outDir", outDir];
  const { status, stdout, error } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    timeout: COMPILE_TIMEOUT_MS,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`the SDK does not compile:\n${stdout}`);
}

/**
 * The compiler rewrites imports in JavaScript alone, and the .ts files that the declarations name are not there. Where the
 * name of an import is computed it adds a helper that none of ours needs, and that bundlers warn of.
 */
function fixImports(outDir: string): void {
  for (const name of globSync("**/*.{js,d.ts}", { cwd: outDir })) {
    const path = join(outDir, name);
    const text = readFileSync(path, "utf8")
      .replace(/^var __rewriteRelativeImportExtension = .*?^};\n/ms, "")
      .replace(/__rewriteRelativeImportExtension\(\s*([^()]*)\)/g, "$1");
    writeFileSync(
      path,
      name.endsWith(".d.ts") ? text.replace(/"((?:\.\/|(?:\.\.\/)+)[a-z/-]+)\.ts"/g, '"$1.js"') : text,
    );
  }
}
