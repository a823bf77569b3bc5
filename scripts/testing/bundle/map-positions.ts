import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, relative, resolve } from "node:path";

/** A place in a bundle, as stacks and the report write it. */
const POSITION = /(?:file:\/\/)?([^\s()"'`]*scrip-test-bundles\/[0-9a-f]+\/[^\s()"'`:]+\.mjs):(\d+):(\d+)/g;

/**
 * Replaces the places in bundles by those in the sources. Done where the report is printed and not in the processes, which would
 * each read the map for the first test that they name.
 */
export const mapPositions = (text: string): string =>
  text.replaceAll(POSITION, (found, file: string, line: string, column: string) => {
    const bundle = resolve(file);
    const { originalSource, originalLine, originalColumn } =
      mapOf(bundle)?.findEntry(Number(line) - 1, Number(column) - 1) ?? {};
    if (originalSource === undefined || originalLine === undefined) return found;
    const source = relative(process.cwd(), resolve(dirname(bundle), originalSource));
    return `${source}:${originalLine + 1}:${(originalColumn ?? 0) + 1}`;
  });

const maps = new Map<string, SourceMap | undefined>();

function mapOf(bundle: string): SourceMap | undefined {
  if (!maps.has(bundle)) maps.set(bundle, readMap(`${bundle}.map`));
  return maps.get(bundle);
}

function readMap(path: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    // Not written by this run, or no longer there.
    return undefined;
  }
}
