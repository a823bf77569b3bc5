// `npm run image`: builds the Containerfile and holds the image to what docs/deploy.md says of it. Needs root, buildah
// and mmdebstrap, and a Debian mirror; not part of `npm test`, because it takes minutes.

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuiltImage, buildImage } from "./image/build-image.ts";
import { checkContainer } from "./image/check-container.ts";
import { findMissing } from "./image/run-program.ts";
import { startPostgres } from "./image/start-postgres.ts";

const PROGRAMS = ["buildah", "mmdebstrap", "unshare", "setpriv", "chroot", "mount"];
const MEBIBYTE = 1024 * 1024;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const missing = await findMissing(PROGRAMS);
if (missing.length > 0 || process.getuid?.() !== 0) {
  const why = missing.length > 0 ? `${missing.join(", ")} not found` : "this user is not root";
  console.error(`npm run image needs root and, on Debian, apt-get install buildah mmdebstrap: ${why}`);
  process.exit(1);
}

const image = await buildImage(root, (line) => console.log(`> ${line}`));
try {
  describe(image);
  const postgres = await startPostgres();
  try {
    console.log(`> running it against ${postgres.version}`);
    for await (const line of checkContainer(image, postgres.url)) console.log(`ok  ${line}`);
  } finally {
    await postgres.stop();
  }
} finally {
  await image.remove();
}

function describe({ sizeBytes, baseSizeBytes, config }: BuiltImage): void {
  const size = (bytes: number) => `${Math.round(bytes / MEBIBYTE)} MiB`;
  console.log(`image: ${size(sizeBytes)}, of which the base is ${size(baseSizeBytes)}; user ${config.User}`);
}
