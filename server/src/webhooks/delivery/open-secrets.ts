type OpenSecret = (endpointId: string, sealed: Buffer) => string;

const OPENED_MAX = 1_000;

/** Keeps the secrets that were opened last: each delivery signs with one, and opening it takes longer than signing. */
export function keepOpened(open: OpenSecret, maxKept = OPENED_MAX): OpenSecret {
  const opened = new Map<string, string>();
  return (endpointId, sealed) => {
    const name = `${endpointId} ${sealed.toString("latin1")}`;
    const known = opened.get(name);
    if (known !== undefined) return known;
    const secret = open(endpointId, sealed);
    if (opened.size >= maxKept) opened.clear();
    opened.set(name, secret);
    return secret;
  };
}
