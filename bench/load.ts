import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";

export type Load = { url: string; headers: Record<string, string>; connections: number; seconds: number };
export type Figures = { requestsPerSecond: number; p50Ms: number; p99Ms: number };

const run = promisify(execFile);

/** The load generator: wrk if installed, because a heavier one would slow down what it measures. */
export const loadProgram: "wrk" | "autocannon" = spawnSync("wrk", ["-v"]).error ? "autocannon" : "wrk";

/** Asks one URL over many connections for some seconds. A single failure invalidates the figures. */
export const applyLoad = (load: Load): Promise<Figures> =>
  loadProgram === "wrk" ? withWrk(load) : withAutocannon(load);

async function withWrk({ url, headers, connections, seconds }: Load): Promise<Figures> {
  const { stdout } = await run("wrk", [
    "--latency",
    "-t1",
    `-c${connections}`,
    `-d${seconds}s`,
    ...Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]),
    url,
  ]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`the load test had errors:\n${stdout}`);
  return {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    p50Ms: toMs(/^\s+50%\s+(\S+)/m.exec(stdout)?.[1]),
    p99Ms: toMs(/^\s+99%\s+(\S+)/m.exec(stdout)?.[1]),
  };
}

function toMs(text: string | undefined): number {
  const match = /^([\d.]+)(us|ms|s)$/.exec(text ?? "");
  if (!match) throw new Error(`wrk printed an unexpected latency: ${text}`);
  return Number(match[1]) * { us: 0.001, ms: 1, s: 1000 }[match[2] as "us" | "ms" | "s"];
}

async function withAutocannon({ url, headers, connections, seconds }: Load): Promise<Figures> {
  const { stdout } = await run(
    process.execPath,
    [
      new URL("../node_modules/autocannon/autocannon.js", import.meta.url).pathname,
      "--json",
      ...["-c", String(connections), "-d", String(seconds)],
      ...Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}=${value}`]),
      url,
    ],
    { maxBuffer: 16 * 1024 * 1024 },
  );
  const result = JSON.parse(stdout) as {
    errors: number;
    "4xx": number;
    "5xx": number;
    requests: { average: number };
    latency: { p50: number; p99: number };
  };
  if (result.errors + result["4xx"] + result["5xx"] > 0) throw new Error("the load test had errors");
  return { requestsPerSecond: result.requests.average, p50Ms: result.latency.p50, p99Ms: result.latency.p99 };
}
