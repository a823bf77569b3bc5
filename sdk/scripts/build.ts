// `npm run build -w sdk`: the package in sdk/dist. `npm run pack -w sdk`: the same, then the .tgz of it.

import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildPackage, packPackage } from "./build-package.ts";

const sdk = dirname(import.meta.dirname);
const dist = join(sdk, "dist");

buildPackage(dist);
if (process.argv.includes("--pack")) {
  const file = await packPackage(dist, sdk);
  console.log(`${file}: ${statSync(file).size} bytes`);
}
