import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Finished, HostedCommand } from "./scrip-host.ts";

export type ScripHost = {
  isBusy(): boolean;
  run(command: HostedCommand): Promise<Finished>;
};

const SCRIPT = fileURLToPath(new URL("./scrip-host.ts", import.meta.url));

/** A process that runs commands. It starts with the first command and ends with the process that opened it. */
export function openScripHost(env: Readonly<Record<string, string>>, timeoutMs: number): ScripHost {
  let child: ChildProcess | undefined;
  let isBusy = false;

  const start = async (): Promise<ChildProcess> => {
    const started = fork(SCRIPT, [], { env, stdio: ["ignore", "ignore", "inherit", "ipc"] });
    await once(started, "message");
    child = started;
    started.once("exit", () => {
      child = undefined;
    });
    return started;
  };
  return {
    isBusy: () => isBusy,
    async run(command) {
      isBusy = true;
      const host = child ?? (await start());
      host.ref();
      host.channel?.ref();
      const timer = setTimeout(() => host.kill("SIGKILL"), timeoutMs);
      const ended = new AbortController();
      try {
        const answered = once(host, "message", { signal: ended.signal });
        const died = once(host, "exit", { signal: ended.signal }).then(() => undefined);
        host.send(command);
        const answer = await Promise.race([answered, died]);
        if (!answer) throw new Error(`the process of scrip ${command.args.join(" ")} ended`);
        return answer[0] as Finished;
      } finally {
        ended.abort();
        clearTimeout(timer);
        host.unref();
        host.channel?.unref();
        isBusy = false;
      }
    },
  };
}
