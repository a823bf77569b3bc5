import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { Problem } from "./problem.ts";

/** A cursor is bound to its scope. It does not verify with another reseller, environment, endpoint or filter. */
export type CursorScope = {
  resellerId: string;
  environment: string;
  endpoint: string;
  filters: Readonly<Record<string, string>>;
};

export type CursorCodec = {
  encode(scope: CursorScope, position: string): string;
  /** `parameter` is where the cursor came from, for the error. */
  decode(scope: CursorScope, cursor: string, parameter?: string): string;
};

const MAC_BYTES = 16;
const CURSOR_MAX_CHARACTERS = 1_024;

/** A cursor is the position and its HMAC in base64url. The same page always has the same cursor. */
export function createCursorCodec(key: KeyObject): CursorCodec {
  return {
    encode(scope, position) {
      return Buffer.concat([mac(key, scope, position), Buffer.from(position)]).toString("base64url");
    },
    decode(scope, cursor, parameter) {
      const invalidCursor = () => refusedCursor(parameter);
      if (cursor.length > CURSOR_MAX_CHARACTERS || !/^[A-Za-z0-9_-]+$/.test(cursor)) throw invalidCursor();
      const bytes = Buffer.from(cursor, "base64url");
      // Several texts can decode to the same bytes. Only the canonical one is accepted.
      if (bytes.length <= MAC_BYTES || bytes.toString("base64url") !== cursor) throw invalidCursor();
      const position = bytes.subarray(MAC_BYTES).toString("utf8");
      if (!timingSafeEqual(mac(key, scope, position), bytes.subarray(0, MAC_BYTES))) throw invalidCursor();
      return position;
    },
  };
}

function mac(key: KeyObject, scope: CursorScope, position: string): Buffer {
  const filters = Object.entries(scope.filters).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify([scope.resellerId, scope.environment, scope.endpoint, filters, position]);
  return createHmac("sha256", key).update(text).digest().subarray(0, MAC_BYTES);
}

const refusedCursor = (parameter = "cursor"): Problem =>
  new Problem("invalid_cursor", "The cursor does not belong to this endpoint, API key and set of filters.", {
    errors: [
      {
        pointer: `?${parameter}`,
        code: "invalid_cursor",
        detail: "Pass nextCursor from the previous page unchanged.",
      },
    ],
  });
