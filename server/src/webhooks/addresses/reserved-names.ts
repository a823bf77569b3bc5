/** CONTRACT 6: names that can only mean something inside: localhost, single labels, and the reserved domains. */
export function isReservedName(hostname: string): boolean {
  if (!hostname.includes(".")) return true;
  return RESERVED_DOMAINS.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`));
}

const RESERVED_DOMAINS = ["localhost", "local", "internal", "home.arpa", "test", "invalid", "onion"] as const;
