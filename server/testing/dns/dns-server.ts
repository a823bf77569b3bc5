import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { encodeAnswer, type Question, readQuestion, type Say } from "./dns-message.ts";

/** Undefined is silence. `asked` says how often this question was asked before. */
export type Speak = (question: Question, asked: number, transport: "udp" | "tcp") => Say | undefined;

export type DnsServer = { port: number; close(): void };

/** A name server on loopback, over UDP and TCP, that says whatever it is told to. */
export async function startDnsServer(speak: Speak, port: number): Promise<DnsServer> {
  const counts = new Map<string, number>();
  const answer = (query: Buffer, transport: "udp" | "tcp", send: (bytes: Buffer) => void): void => {
    const question = readQuestion(query);
    if (!question) return;
    const key = `${question.type} ${question.name}`;
    const asked = counts.get(key) ?? 0;
    counts.set(key, asked + 1);
    const say = speak(question, asked, transport);
    if (!say) return;
    const bytes = say.junk === true ? Buffer.from("no answer at all") : encodeAnswer(query, question, say);
    if (say.afterMs === undefined) send(bytes);
    else setTimeout(send, say.afterMs, bytes).unref();
  };
  const udp = createSocket("udp4");
  udp.on("message", (query, { port: from, address }) =>
    answer(query, "udp", (bytes) => udp.send(bytes, from, address)),
  );
  udp.bind(port, "127.0.0.1");
  await once(udp, "listening");
  const bound = udp.address().port;
  const tcp = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) =>
      answer(data.subarray(2), "tcp", (bytes) => {
        const length = Buffer.alloc(2);
        length.writeUInt16BE(bytes.length);
        socket.write(Buffer.concat([length, bytes]));
      }),
    );
  }).listen(bound, "127.0.0.1");
  await once(tcp, "listening");
  return {
    port: bound,
    close() {
      udp.close();
      tcp.close();
    },
  };
}
