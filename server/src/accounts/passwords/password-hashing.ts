import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { Problem } from "../../lib/problem.ts";

export type Argon2Cost = { memoryKib: number; passes: number; parallelism: number };

/** What OWASP names as the least for argon2id. One hash took 79 ms on a slow arm64 core, and 19 MiB. */
export const ARGON2_COST: Argon2Cost = { memoryKib: 19_456, passes: 2, parallelism: 1 };

const SALT_BYTES = 16;
const HASH_BYTES = 32;
const ARGON2_VERSION = 19;
/** Node has four threads for such work, which files and names of hosts need too. Two hashes take 38 MiB. */
export const HASHES_AT_ONCE = 2;
/** Some five seconds of work. Beyond that a sign-in is told to come back. */
export const HASHES_WAITING_MAX = 64;
/** A stored hash must not ask for more than this. */
const MEMORY_MAX_KIB = 262_144;
const PASSES_MAX = 16;

export type PasswordHashing = {
  hash(password: string): Promise<string>;
  /** Does the same work where there is no hash to compare with, and then is false. */
  verify(password: string, phc: string | null): Promise<boolean>;
  /** Whether the hash was made at another cost than is used now. */
  isOutdated(phc: string): boolean;
};

/** Argon2id off the main thread, a few at a time: sign-ins cannot exhaust memory or block the process. */
export function createPasswordHashing(
  cost: Argon2Cost = ARGON2_COST,
  limits = { atOnce: HASHES_AT_ONCE, waiting: HASHES_WAITING_MAX },
): PasswordHashing {
  const gate = createGate(limits);
  const nobody: Parsed = { cost, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };
  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      return toPhc({ cost, salt, hash: await gate(() => derive(password, salt, cost)) });
    },
    async verify(password, phc) {
      const expected = phc === null ? undefined : parsePhc(phc);
      const { salt, cost: usedCost, hash } = expected ?? nobody;
      const found = await gate(() => derive(password, salt, usedCost));
      return timingSafeEqual(found, hash) && expected !== undefined;
    },
    isOutdated: (phc) => JSON.stringify(parsePhc(phc)?.cost) !== JSON.stringify(cost),
  };
}

type Parsed = { cost: Argon2Cost; salt: Buffer; hash: Buffer };

const deriveKey = promisify(argon2);

/** The same letters typed on another system may come as other code points; NFC makes them one. */
const derive = (password: string, nonce: Buffer, cost: Argon2Cost): Promise<Buffer> =>
  deriveKey("argon2id", {
    message: Buffer.from(password.normalize("NFC")),
    nonce,
    memory: cost.memoryKib,
    passes: cost.passes,
    parallelism: cost.parallelism,
    tagLength: HASH_BYTES,
  });

const base64 = (bytes: Buffer): string => bytes.toString("base64").replaceAll("=", "");

const toPhc = ({ cost, salt, hash }: Parsed): string =>
  `$argon2id$v=${ARGON2_VERSION}$m=${cost.memoryKib},t=${cost.passes},p=${cost.parallelism}$${base64(salt)}$${base64(hash)}`;

const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

function parsePhc(text: string): Parsed | undefined {
  const match = PHC.exec(text);
  if (!match) return undefined;
  const [, memory, passes, parallelism, salt = "", hash = ""] = match;
  const cost = { memoryKib: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  if (cost.memoryKib > MEMORY_MAX_KIB || cost.passes > PASSES_MAX) return undefined;
  return { cost, salt: Buffer.from(salt, "base64"), hash: Buffer.from(hash, "base64") };
}

/** Runs so many at once, lets so many wait, and refuses the rest. */
function createGate(limits: { atOnce: number; waiting: number }) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= limits.atOnce) {
      if (waiting.length >= limits.waiting)
        throw new Problem("service_unavailable", "Too many people are signing in. Try again in a moment.", {
          headers: { "retry-after": "5" },
        });
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      // The place is handed on, so that nobody who comes now can take it first.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
