import { parseTime } from "../../lib/time.ts";
import type { Goods } from "../goods.ts";

const TEXT_MAX_CHARACTERS = 1_000;
const URL_MAX_CHARACTERS = 2_048;
/** CONTRACT 7: no live code starts with this. The database refuses one that does. */
const SANDBOX_PREFIX = "TEST-";
const CONTROL_CHARACTERS = /[\p{Cc}\p{Cs}]/u;

export type ToldCode = {
  code: string | undefined;
  pin?: string | undefined;
  serial?: string | undefined;
  /** A time without a zone is taken as UTC. An unreadable one is left out. */
  expiresAt?: string | undefined;
};

/** The goods of one unit, or undefined when they cannot be a code. A link that is sold as a code becomes a link. */
export function toCodeGoods({ code, pin, serial, expiresAt }: ToldCode): Goods | undefined {
  if (code === undefined || code.startsWith(SANDBOX_PREFIX) || !isText(code, URL_MAX_CHARACTERS))
    return undefined;
  // A card without its PIN cannot be redeemed.
  if (pin !== undefined && !isText(pin)) return undefined;
  const time = expiresAt === undefined ? undefined : toTime(expiresAt);
  const extras = {
    ...(pin === undefined ? {} : { pin }),
    ...(serial !== undefined && isText(serial) ? { serial } : {}),
    ...(time === undefined ? {} : { expiresAt: time }),
  };
  if (/^https:\/\/\S+$/.test(code)) return { type: "url", url: code, ...extras };
  return isText(code) ? { type: "code", code, ...extras } : undefined;
}

const isText = (text: string, max = TEXT_MAX_CHARACTERS): boolean =>
  text.trim() !== "" && text.length <= max && !CONTROL_CHARACTERS.test(text);

function toTime(text: string): string | undefined {
  const zoned = /(?:Z|[+-]\d\d:?\d\d)$/.test(text)
    ? text
    : `${text.includes("T") ? text : `${text}T00:00:00`}Z`;
  const time = (parseTime(zoned) ?? parseTime(zoned.replace(/(:\d\d)(?:\.\d+)?Z$/, "$1Z")))?.toISOString();
  return time !== undefined && /^[2-9]\d{3}-/.test(time) ? time : undefined;
}
