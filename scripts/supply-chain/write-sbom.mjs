// `npm run sbom`: the software bill of materials of a release, in CycloneDX, as dist/sbom.cdx.json. It lists what is served,
// without the packages for development, with versions, hashes and licences from package-lock.json.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const TIMEOUT_MS = 120_000;
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const npm = spawnSync(
  "npm",
  ["sbom", "--package-lock-only", "--omit=dev", "--sbom-format=cyclonedx", "--sbom-type=application"],
  { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024, timeout: TIMEOUT_MS },
);
if (npm.status !== 0) {
  console.error(`npm sbom failed. It needs npm 10 or newer.\n${npm.stderr ?? npm.error}`);
  process.exit(1);
}
const sbom = JSON.parse(npm.stdout);
// npm names the application after its folder.
sbom.metadata.component.name = name;
const file = join(root, "dist/sbom.cdx.json");
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
console.log(
  `${file}: ${name} ${version}, ${sbom.components.length} components, CycloneDX ${sbom.specVersion}`,
);
