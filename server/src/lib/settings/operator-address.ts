const URL_MAX_CHARACTERS = 2_048;

/**
 * An address that the operator names: https, or http on this machine. Messages do not quote it, because it may be a secret in the
 * wrong place.
 */
export function parseOperatorAddress(text: string, name = ""): URL {
  const refuse = (why: string) => new RangeError(`${name} ${why}`.trimStart());
  const url = text.length <= URL_MAX_CHARACTERS ? URL.parse(text) : null;
  if (!url || !["https:", "http:"].includes(url.protocol))
    throw refuse("must be an address such as https://api.example.com");
  if (url.username !== "" || url.password !== "" || url.hash !== "")
    throw refuse("must not have a user name, password or fragment");
  if (url.protocol === "http:" && !isLoopback(url))
    throw refuse("is plain http: what crosses the network could be read and changed on the way. Use https");
  return url;
}

/** `URL` has normalized the address. */
const isLoopback = ({ hostname }: URL): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
