import type { Readable } from "node:stream";

/** A line that is longer is passed on in pieces. */
const LINE_MAX_CHARACTERS = 1_000_000;

/** Passes on whole lines only, so that lines of several processes never mix. */
export function passLines(from: Readable, to: { write(text: string): unknown }): void {
  let rest = "";
  from.setEncoding("utf8");
  from.on("data", (text: string) => {
    const end = text.lastIndexOf("\n");
    if (end === -1 && rest.length + text.length < LINE_MAX_CHARACTERS) {
      rest += text;
      return;
    }
    to.write(end === -1 ? `${rest}${text}\n` : rest + text.slice(0, end + 1));
    rest = end === -1 ? "" : text.slice(end + 1);
  });
  from.on("error", () => {});
  // What a process wrote last can lack its line break.
  from.on("close", () => {
    if (rest !== "") to.write(`${rest}\n`);
    rest = "";
  });
}
