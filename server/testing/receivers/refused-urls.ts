import type { WebhookUrlRefusal } from "../../src/webhooks/addresses/webhook-url.ts";
import { MISSHAPEN_HOSTS, NO_ADDRESSES, RESERVED_HOSTS, SPECIAL_ADDRESSES, words } from "./refused-hosts.ts";
import { DOTTED_CARRIERS } from "./special-addresses.ts";

/** A URL that must never be connected to, and the stage that must refuse it. */
export type Refused =
  | { stage: "url"; text: string; reason: WebhookUrlRefusal }
  | { stage: "address"; text: string }
  | { stage: "resolve"; text: string; answers: readonly string[] };

const bracketed = (address: string): string => (address.includes(":") ? `[${address}]` : address);
const urls = (hosts: readonly string[]): string[] => hosts.map((host) => `https://${host}/`);

const TOO_LONG = [
  `https://hook.example.com/${"a".repeat(2_024)}`,
  `https://hook.example.com/?${"a".repeat(5_000)}`,
  `https://${"a".repeat(60)}.example.com/${"%20".repeat(700)}`,
  `http://${"a".repeat(2_048)}`,
];

const CHARACTERS = [
  ...["\t", "\n", "\r", "\r\n", " ", "\0", "\u0001", "\u001f", "\u007f", "\\"].flatMap((bad) => [
    `https://hook.exa${bad}mple.com/`,
    `https://hook.example.com/a${bad}b`,
    `https://hook.example.com/${bad}`,
    `${bad}https://hook.example.com/`,
    `ht${bad}tps://hook.example.com/`,
    `https:/${bad}/127.0.0.1/`,
    `https://hook.example.com:4${bad}43/`,
  ]),
  "https:\\\\127.0.0.1\\",
  "https:/\\127.0.0.1/",
  "https://hook.example.com\\@127.0.0.1/",
  "https://127.0.0.1\\@hook.example.com/",
  "https://hook.example.com/\r\nHost: localhost",
];

const SCHEME = [
  "",
  ...words(`
    hook hook.example.com hook.example.com:443 //hook.example.com/ /hook http://hook.example.com/ HTTP://hook.example.com/
    ftp://hook.example.com/ file:///etc/passwd gopher://127.0.0.1:6379/_x javascript:alert(1) data:text/plain,x
    ws://hook.example.com/ wss://hook.example.com/ about:blank blob:https://hook.example.com/1 https:hook.example.com
    https:/hook.example.com https:127.0.0.1 https: https httpss://hook.example.com/ xhttps://hook.example.com/
    http\u017f://hook.example.com/ \ufeffhttps://hook.example.com/ \u00a0https://hook.example.com/
    https%3a//hook.example.com/ https;//hook.example.com/ view-source:https://hook.example.com/ ldap://hook.example.com/
    https+unix://hook.example.com/ unix:/var/run/docker.sock
  `),
];

const FRAGMENT = [
  ...words("# #a /# /#a /path# /?q=1# /?q=1#x :8443# #@127.0.0.1/").map(
    (end) => `https://hook.example.com${end}`,
  ),
  ...words(
    "https://#hook.example.com/ https://127.0.0.1#@hook.example.com/ https://user@hook.example.com/#x",
  ),
];

const USERINFO = [
  ...words("@ :@ user@ user:@ :password@ user:password@ %40@ a@b@ hook.example.com@ %00@ [::1]@").flatMap(
    (userinfo) => [`https://${userinfo}hook.example.com/`, `https://${userinfo}127.0.0.1/`],
  ),
  ...words(`
    https://hook.example.com:443@127.0.0.1/ https://@[::1]/ https://hook.example.com@[::ffff:7f00:1]:8443/ https://user@
    https://@ https://hook.example.com@?x https://127.0.0.1:8443@hook.example.com/
  `),
];

const PORT = [
  // Below 1024, then services, then the ports from 1024 that the fetch standard blocks.
  ...words(`
    0 1 7 20 21 22 23 25 53 80 110 111 139 143 389 442 444 445 465 587 636 993 1023
    1080 1099 1433 1434 1521 1883 2181 2375 2376 2377 2379 2380 3128 3268 3306 3389 3690 4222 4369 5432 5671 5672 5900
    5901 5984 5985 5986 6001 6063 6379 6380 6443 8086 8200 8300 8500 8600 9042 9050 9092 9100 9200 9300 10250 10255
    11211 15672 26379 27017 27018 27019
    1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080
    65536 99999 100000 0443 00443 +443 -443 0x1bb 443a 443:443 \uff14\uff14\uff13 %34%34%33 4.43 8443. 1e4 443,8443
  `).map((port) => `https://hook.example.com:${port}/`),
  ...words(
    "https://hook.example.com:/ https://2606:4700::1111/ https://::1/ https://[::1/ https://[2606:4700::1111]x/",
  ),
];

const BY_REASON: Readonly<Record<WebhookUrlRefusal, readonly string[]>> = {
  too_long: TOO_LONG,
  characters: CHARACTERS,
  scheme: SCHEME,
  fragment: FRAGMENT,
  userinfo: USERINFO,
  port: PORT,
  host_form: [
    ...urls(MISSHAPEN_HOSTS),
    ...words(
      "https:///hook.example.com/ https:////127.0.0.1/ https://?x https:// https://0x7f.1:8443 https://127.1?x",
    ),
  ],
  not_public: [
    ...urls(SPECIAL_ADDRESSES.map(bracketed)),
    ...words(`
      HTTPS://127.0.0.1 https://127.0.0.1:443/ https://127.0.0.1:8443/x?y https://[::1]:8443/ https://[FE80::1]/
      https://[::FFFF:7F00:1]/ https://169.254.169.254/latest/meta-data/ https://0.0.0.0?x
    `),
  ],
  reserved_name: [
    ...urls(RESERVED_HOSTS),
    ...words("https://localhost:8443/ https://db.internal?x HTTPS://LOCALHOST"),
  ],
};

const MIXED_ANSWERS = [
  "127.0.0.1",
  "::1",
  "10.0.0.1",
  "fe80::1%eth0",
  "::ffff:8.8.8.8",
  "localhost",
  "",
].flatMap((bad) => [
  [bad, "93.184.215.14", "2606:4700::1111"],
  ["93.184.215.14", bad, "2606:4700::1111"],
  ["93.184.215.14", "2606:4700::1111", bad],
]);

export const REFUSED: readonly Refused[] = [
  ...(Object.keys(BY_REASON) as WebhookUrlRefusal[]).flatMap((reason) =>
    BY_REASON[reason].map((text) => ({ stage: "url", text, reason }) as const),
  ),
  ...[...SPECIAL_ADDRESSES, ...DOTTED_CARRIERS, ...NO_ADDRESSES].map(
    (text) => ({ stage: "address", text }) as const,
  ),
  ...[...SPECIAL_ADDRESSES.map((address) => [address]), ...MIXED_ANSWERS].map(
    (answers) => ({ stage: "resolve", text: "hook.example.com", answers }) as const,
  ),
];
