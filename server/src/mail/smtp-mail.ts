import { createTransport } from "nodemailer";
import type { Secret } from "../lib/secret.ts";

export type Mail = {
  /** The same for every try, so that mail programs recognise a repetition. */
  id: string;
  recipient: string;
  subject: string;
  text: string;
  html: string | null;
  date: Date;
};

export type SendMail = (mail: Mail) => Promise<void>;

export type SmtpTimeouts = { connectMs: number; idleMs: number; wallMs: number };

const SMTP_TIMEOUTS: SmtpTimeouts = { connectMs: 10_000, idleMs: 20_000, wallMs: 45_000 };
const SMTP_PORT = 587;
const SMTPS_PORT = 465;

/** Sends mails through the server of SMTP_URL. Credentials are only sent over TLS. */
export function createSmtpMail(
  { url, from }: { url: Secret<string>; from: string },
  changes: Partial<SmtpTimeouts> = {},
): SendMail {
  const timeouts = { ...SMTP_TIMEOUTS, ...changes };
  return async ({ id, recipient, subject, text, html, date }) => {
    const transport = createTransport({
      ...serverOf(new URL(url.reveal())),
      // Only a pooled transport can close a connection that is in use.
      pool: true,
      maxConnections: 1,
      maxRequeues: 0,
      connectionTimeout: timeouts.connectMs,
      greetingTimeout: timeouts.connectMs,
      dnsTimeout: timeouts.connectMs,
      socketTimeout: timeouts.idleMs,
      // Nothing in a mail is read from a file or fetched from a URL.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    // A server that trickles its replies is never idle, so there is a limit on the whole exchange too.
    const wall = Promise.withResolvers<never>();
    const timer = setTimeout(() => wall.reject(new MailTimedOut()), timeouts.wallMs);
    try {
      const sent = transport.sendMail({
        from,
        // An object is one address, even if it holds a comma.
        to: { name: "", address: recipient },
        subject,
        text,
        ...(html === null ? {} : { html }),
        date,
        messageId: `<${id}@${domainOf(from)}>`,
        headers: { "Auto-Submitted": "auto-generated" },
      });
      await Promise.race([sent, wall.promise]);
    } finally {
      clearTimeout(timer);
      transport.close({ force: true });
    }
  };
}

class MailTimedOut extends Error {
  readonly code = "ETIMEDOUT";
  constructor() {
    super("timed out waiting for the mail server");
    this.name = "MailTimedOut";
  }
}

function serverOf(url: URL) {
  const secure = url.protocol === "smtps:";
  const hasUser = url.username !== "";
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? (secure ? SMTPS_PORT : SMTP_PORT) : Number(url.port),
    secure,
    ...(hasUser ? { requireTLS: !secure, auth: credentialsOf(url) } : {}),
  };
}

const credentialsOf = (url: URL) => ({
  user: decodeURIComponent(url.username),
  pass: decodeURIComponent(url.password),
});

const domainOf = (from: string): string => /@([^\s<>@]+)>?$/.exec(from)?.[1] ?? "localhost";
