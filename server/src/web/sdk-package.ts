import { readdir, readFile } from "node:fs/promises";
import type { FastifyInstance } from "fastify";
import { packTgz } from "../lib/pack-tgz.ts";
import { type PublicFile, publicFile, sendPublicFile } from "./public-file.ts";

export const SDK_PATH = "/sdk/scrip-sdk.tgz";

/** Short, because another version may be there after the next upgrade; asking again costs no bytes. */
const MAX_AGE_SECONDS = 300;

/** `/sdk/scrip-sdk.tgz`: the SDK that belongs to this server, for `npm install`. It is packed when it is first asked for. */
export function serveSdk(app: FastifyInstance): void {
  let packed: Promise<PublicFile> | undefined;
  const pack = (): Promise<PublicFile> => {
    // What failed once is tried again by the next request.
    packed ??= packSdk().catch((error) => {
      packed = undefined;
      throw error;
    });
    return packed;
  };
  app.get(SDK_PATH, async (request, reply) => sendPublicFile(request, reply, await pack()));
}

/** The files that `npm pack` would take, out of the package that this server itself imports. */
async function packSdk(): Promise<PublicFile> {
  const folder = new URL("./", import.meta.resolve("@scrip/sdk/package.json"));
  const modules = (await readdir(new URL("lib/", folder))).map((name) => `lib/${name}`);
  const paths = ["package.json", "README.md", ...modules.sort()];
  const files = paths.map(async (path) => ({
    path: `package/${path}`,
    body: await readFile(new URL(path, folder)),
  }));
  return publicFile(packTgz(await Promise.all(files)), "application/gzip", MAX_AGE_SECONDS);
}
