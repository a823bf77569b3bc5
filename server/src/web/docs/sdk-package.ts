import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { FastifyInstance } from "fastify";
import { packTgz } from "../../lib/pack-tgz.ts";
import { type PublicFile, publicFile, sendPublicFile } from "./public-file.ts";

export const SDK_PATH = "/sdk/scrip-sdk.tgz";

/** Short, because the next upgrade can bring another version. Revalidating transfers no body. */
const MAX_AGE_SECONDS = 300;

/** `/sdk/scrip-sdk.tgz`: the SDK of this server's version, for `npm install`. It is packed on first use. */
export function serveSdk(app: FastifyInstance): void {
  let packed: Promise<PublicFile> | undefined;
  const pack = (): Promise<PublicFile> => {
    // After a failure, the next request tries again.
    packed ??= packSdk().catch((error) => {
      packed = undefined;
      throw error;
    });
    return packed;
  };
  app.get(SDK_PATH, async (request, reply) => sendPublicFile(request, reply, await pack()));
}

/** The files that `npm pack` would include, from the package that this server imports. */
async function packSdk(): Promise<PublicFile> {
  const folder = new URL("./", import.meta.resolve("@scrip/sdk/package.json"));
  const entries = await readdir(new URL("lib/", folder), { recursive: true, withFileTypes: true });
  const root = fileURLToPath(folder);
  const modules = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)));
  const paths = ["package.json", "README.md", ...modules.sort()];
  const files = paths.map(async (path) => ({
    path: `package/${path}`,
    body: await readFile(new URL(path, folder)),
  }));
  return publicFile(packTgz(await Promise.all(files)), "application/gzip", MAX_AGE_SECONDS);
}
