import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * A certificate for localhost, 127.0.0.1, ::1 and receiver.test, valid until 2120, and the authority that issued it,
 * whose key was deleted. They are only for tests: nothing else trusts the authority.
 */
export const { caCertificate, key, certificate } = {
  caCertificate: readPem("test-authority.pem"),
  key: readPem("receiver-key.pem"),
  certificate: readPem("receiver.pem"),
};

/** For NODE_EXTRA_CA_CERTS, which needs a file. */
export const caCertificatePath = pathOf("test-authority.pem");

function readPem(name: string): string {
  return readFileSync(pathOf(name), "utf8");
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
}
