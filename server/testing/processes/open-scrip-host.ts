import type { Socket } from "node:net";
import { type ForkedNode, forkNode } from "./fork-node.ts";
import type { HostedCommand } from "./scrip-host.ts";
import type { Finished } from "./spawn-node.ts";

export type ScripHost = {
  isBusy(): boolean;
  run(command: HostedCommand): Promise<Finished>;
};

/** A process that runs commands. It starts with the first command and ends with the process that opened it. */
export function openScripHost(env: Readonly<Record<string, string>>, timeoutMs: number): ScripHost {
  let host: ForkedNode | undefined;
  let isBusy = false;

  const start = async (): Promise<ForkedNode> => {
    const started = await forkNode("commands", null, { env });
    host = started;
    void started.ended.then(() => {
      host = undefined;
    });
    return started;
  };
  return {
    isBusy: () => isBusy,
    async run(command) {
      isBusy = true;
      const { ask, child, ended, kill } = host ?? (await start());
      for (const part of partsOf(child)) part?.ref();
      const timer = setTimeout(kill, timeoutMs);
      try {
        const answer = await Promise.race([ask<Finished>(command), ended.then(() => undefined)]);
        if (!answer) throw new Error(`the process of scrip ${command.args.join(" ")} ended`);
        return answer;
      } finally {
        clearTimeout(timer);
        for (const part of partsOf(child)) part?.unref();
        isBusy = false;
      }
    },
  };
}

/** All that would keep this process alive while nothing runs there. */
const partsOf = (child: ForkedNode["child"]) => [
  child,
  child.channel,
  child.stdout as Socket | null,
  child.stderr as Socket | null,
];
