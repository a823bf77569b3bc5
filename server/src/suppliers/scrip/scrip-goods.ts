import type { DeliveredCode } from "@scrip/sdk";
import { parseTime } from "../../lib/time.ts";
import type { Goods } from "../goods.ts";

const TEXT_MAX_CHARACTERS = 1_000;
const URL_MAX_CHARACTERS = 2_048;
/** CONTRACT 7: every sandbox code starts with this, and no live code does. */
const SANDBOX_PREFIX = "TEST-";
const CONTROL_CHARACTERS = /[\p{Cc}\p{Cs}]/u;

/**
 * The goods of one unit, or why they are unusable. Sandbox goods are worth nothing: the config holds a test key, and
 * delivering them would be worse than waiting.
 */
export function toScripGoods(entry: DeliveredCode): Goods | "sandbox" | "nonsense" {
  const { type, code, url, receipt } = entry;
  if ([code, url, receipt].some((text) => text?.startsWith(SANDBOX_PREFIX))) return "sandbox";
  if (type === "topup") return receipt !== undefined && isText(receipt) ? { type, receipt } : "nonsense";
  const extras = toExtras(entry);
  if (!extras) return "nonsense";
  if (type === "code" && code !== undefined && isText(code)) return { type, code, ...extras };
  if (type === "url" && url !== undefined && isWebAddress(url)) return { type, url, ...extras };
  return "nonsense";
}

type Extras = { pin?: string; serial?: string; expiresAt?: string };

function toExtras({ pin, serial, expiresAt }: DeliveredCode): Extras | undefined {
  const time = expiresAt === undefined ? undefined : toTime(expiresAt);
  if (expiresAt !== undefined && time === undefined) return undefined;
  if ([pin, serial].some((text) => text !== undefined && !isText(text))) return undefined;
  return {
    ...(pin === undefined ? {} : { pin }),
    ...(serial === undefined ? {} : { serial }),
    ...(time === undefined ? {} : { expiresAt: time }),
  };
}

/** Years of other than four digits are written differently by JavaScript and by PostgreSQL. */
function toTime(text: string): string | undefined {
  const time = parseTime(text)?.toISOString();
  return time !== undefined && /^[1-9]\d{3}-/.test(time) ? time : undefined;
}

const isText = (text: string, max = TEXT_MAX_CHARACTERS): boolean =>
  text.trim() !== "" && text.length <= max && !CONTROL_CHARACTERS.test(text);

/** Browsers silently repair a space inside a URL, and the original character is unknown. */
function isWebAddress(text: string): boolean {
  const protocol = URL.parse(text)?.protocol ?? "";
  return ["https:", "http:"].includes(protocol) && isText(text, URL_MAX_CHARACTERS) && !/\s/.test(text);
}
