import { fileURLToPath } from "node:url";

/**
 * Tests start hundreds of processes that would all strip and compile the same files. With this environment a process
 * caches its compiled files for later ones. An entry is used only for the exact source it was made from, and is
 * renamed into place when complete, so processes can share the folder.
 */
export const COMPILE_CACHE: Readonly<{ NODE_COMPILE_CACHE: string }> = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL("../../../node_modules/.cache/scrip-tests", import.meta.url)),
};
