import { isWellFormedKey } from "../../server/src/keys/key-format.ts";

export type FoundSecret = { file: string; line: number; kind: string; text: string };

type Pattern = { kind: string; find: RegExp; isReal?: (text: string) => boolean };

const PATTERNS: readonly Pattern[] = [
  // The checksum tells a real key from one that only looks like it.
  { kind: "API key", find: /\bsc_(?:live|test)_[0-9A-Za-z]{38}\b/g, isReal: isWellFormedKey },
  { kind: "webhook secret", find: /\bwhsec_[A-Za-z0-9+/]{43}=/g },
  { kind: "private key", find: /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----/g },
  { kind: "master key", find: /\bSCRIP_MASTER_KEY=["']?[A-Za-z0-9+/=_-]{40,}/g },
  {
    kind: "password in an address",
    find: /\b(?:postgres|postgresql|smtps?|https?):\/\/[\w.-]{1,64}:[\w.!~*-]{6,64}@/g,
    isReal: isNoExample,
  },
  { kind: "AWS key", find: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g },
  { kind: "GitHub token", find: /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{40,})\b/g },
  { kind: "npm token", find: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { kind: "Slack token", find: /\bxox[abprs]-[A-Za-z0-9-]{20,}/g },
  { kind: "Stripe key", find: /\b[rs]k_live_[A-Za-z0-9]{20,}\b/g },
  { kind: "Google key", find: /\bAIza[A-Za-z0-9_-]{35}\b/g },
  { kind: "random text", find: /[A-Za-z0-9+/_-]{40,200}={0,2}/g, isReal: looksRandom },
];

/** What looks like a secret in the text of a file. */
export function findSecrets(file: string, text: string): FoundSecret[] {
  return PATTERNS.flatMap(({ kind, find, isReal = () => true }) =>
    [...text.matchAll(find)]
      .filter(([match]) => isReal(match))
      .map((match) => ({
        file,
        line: text.slice(0, match.index).split("\n").length,
        kind,
        text: match[0],
      })),
  );
}

/** What documentation writes in place of a password. */
function isNoExample(address: string): boolean {
  return !/:(?:password|secret)@$/.test(address);
}

/** Bits of information for each character. Random base64 of this length has more than 4.5, words and hex have less. */
const ENTROPY_MIN = 4.6;

function looksRandom(text: string): boolean {
  if (!/[a-z]/.test(text) || !/[A-Z]/.test(text) || !/\d/.test(text)) return false;
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits >= ENTROPY_MIN;
}
