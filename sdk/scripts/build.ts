// `npm run build -w sdk`: sdk/lib, which the server imports and which is published. `npm run pack -w sdk`: the same, then the .tgz.

import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildLib, packPackage } from "./build-package.ts";

const sdk = dirname(import.meta.dirname);

buildLib(join(sdk, "lib"));
if (process.argv.includes("--pack")) {
  const file = await packPackage(sdk, sdk);
  console.log(`${file}: ${statSync(file).size} bytes`);
}
