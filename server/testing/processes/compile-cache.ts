import { fileURLToPath } from "node:url";

/**
 * Tests start some hundred processes, which would all strip and compile the same files. With this in its environment a
 * process keeps what it has compiled for those after it. An entry is used only for the very source that it was made of, and
 * is renamed into place when it is whole, so that processes may share the folder.
 */
export const COMPILE_CACHE: Readonly<{ NODE_COMPILE_CACHE: string }> = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL("../../../node_modules/.cache/scrip-tests", import.meta.url)),
};
