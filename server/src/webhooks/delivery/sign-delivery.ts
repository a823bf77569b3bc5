import { createHmac } from "node:crypto";

/**
 * The header of SPEC.md, Events: HMAC-SHA256 over time, a dot and the exact body, keyed with the secret as it was shown,
 * prefix included. During a rotation every valid secret signs, newest first.
 */
export function signDelivery(secrets: readonly string[], timestampSeconds: number, body: string): string {
  const signatures = secrets.map((secret) => {
    const hmac = createHmac("sha256", secret).update(`${timestampSeconds}.${body}`).digest("hex");
    return `v1=${hmac}`;
  });
  return [`t=${timestampSeconds}`, ...signatures].join(",");
}
