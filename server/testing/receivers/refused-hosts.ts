import { CARRIERS, DOTTED_CARRIERS, SPECIAL_RANGES } from "./special-addresses.ts";

/** Addresses that are not public, in canonical text: three of each range, and all that embed IPv4. */
export const SPECIAL_ADDRESSES: readonly string[] = [
  ...new Set([...SPECIAL_RANGES.flatMap(({ first, middle, last }) => [first, middle, last]), ...CARRIERS]),
];

/** Words separated by whitespace, for tables. */
export const words = (text: string): string[] => text.trim().split(/[ \n]+/);

/** Hosts that the URL parser refuses or changes. */
export const MISSHAPEN_HOSTS: readonly string[] = [
  ...DOTTED_CARRIERS.map((address) => `[${address}]`),
  // Numeric, octal, hexadecimal, short and padded forms of IPv4, including public ones.
  ...words(`
    2130706433 017700000001 0x7f000001 0X7F000001 127.1 127.0.1 0177.0.0.1 0x7f.0.0.1 0x7f.1 127.0.0.01 127.0.0.0x1
    0177.0x0.0.1 00000177.0.0.1 0 0x0 0.0 00.0.0.0 2852039166 0xa9fea9fe 0251.0376.0251.0376 169.254.43518 169.16689662
    0xA9.254.0xA9.254 167772161 10.1 0xa000001 012.0.0.1 3232235777 192.168.257 134744072 8.8.2056 08.8.8.8 8.8.8.8.
    127.0.0.1. 256.0.0.1 1.2.3.4.5 127.0.0.1.0x1 4294967296 hook.1 hook.0x1
  `),
  // Full-width and circled digits, other alphabets, other dots, and characters that disappear.
  ...words(`
    \uff11\uff12\uff17.0.0.1 127\uff0e0\uff0e0\uff0e1 \u2460\u2461\u2466.0.0.1 127\u30020\u30020\u30021 127\uff610.0.1
    \u2460\u2465\u2468.254.169.254 127.0.0.\u00b9 \ud835\udfcf27.0.0.1 \u0661.2.3.4 \uff4c\uff4f\uff43alhost
    \u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3 lo\u00adcalhost hook\u00ad.example.com
    hook\u200b.example.com hook\u200d.example.com hook\u2060.example.com hook\u180e.example.com
    hook.example\u3002com hook.example\uff0ecom \ufeffhook.example.com \u00adhook.example.com hook.example.com\u00ad
    \u212aeys.example.com \u017fhop.example.com m\u00fcnchen.example.com M\u00dcNCHEN.example.com
    stra\u00dfe.example.com \u0430pple.example.com \u4f8b\u3048.example.com hook.example.com\u2044x
    hook\u2028.example.com hook\u0085.example.com hook\u202e.example.com
  `),
  // Percent-encoding.
  ...words(`
    %31%32%37.0.0.1 127.0.0.1%2f loc%61lhost hook%2eexample.com hook.example.com%00 %6cocalhost hook.example.com%2e
    hook.example.com%23 hook.example.com%40evil.example ho%C2%ADok.example.com %E2%91%A0%E2%91%A1%E2%91%A6.0.0.1
    hook.example.com%09 127%2e0%2e0%2e1 hook.example.com%5c hook.example.com%3a443
  `),
  // Too many dots, and characters that no name can contain.
  ...words(`
    hook.example.com. localhost. hook..example.com .example.com . .. example.com.. *.example.com hook.example.com,x
    hook;x.example.com hook'.example.com $(id).example.com {hook}.example.com hook!.example.com hook~.example.com
    a|b.example.com a^b.example.com <b>.example.com "a".example.com a&b.example.com a=b.example.com a+b.example.com
  `),
  `${"a".repeat(64)}.example.com`,
  `${"a.".repeat(125)}info`,
  "",
  // IPv6 that is not canonical, has a zone, or is invalid.
  ...words(`
    [0:0:0:0:0:0:0:1] [::0001] [0::1] [::1%25lo] [fe80::1%25eth0] [fe80::1%eth0] [::1%lo] [2606:4700:0:0::1111]
    [2606:4700::0:1111] [02606:4700::1] [2606:04700::1111] [1::2::3] [] [2606:4700:0000::1111] [127.0.0.1]
    [2606:4700::17.17.17.17] [hook.example.com] [v1.x] [2606:4700::1111%25] [2606:4700::1111.] [2606:4700:1:2:3:4:5::]
  `),
];

/** CONTRACT 6: internal names, in any letter case and at any depth. */
export const RESERVED_HOSTS: readonly string[] = words(`
  localhost LOCALHOST LocalHost hook.localhost a.b.LOCALHOST intranet db metadata kubernetes printer.local PRINTER.LOCAL
  a.b.local metadata.google.internal db.internal host.docker.internal ip-10-0-0-1.ec2.internal home.arpa
  router.home.arpa a.b.Home.Arpa hook.test a.hook.TEST hook.invalid x.y.invalid abcdefghij234567.onion www.x.onion
  test invalid onion internal local xn--mnchen-3ya com
`);

/** Texts that are not addresses, although some programs accept them. */
export const NO_ADDRESSES: readonly string[] = [
  ...words(`
    localhost 127.1 2130706433 0x7f.0.0.1 0177.0.0.1 08.8.8.8 8.8.8 8.8.8.8.8 8.8.8.8. 8.8.8.8:443 8.8.8.8/32 256.8.8.8
    +8.8.8.8 8..8.8 8.8.8.8\0 [2606:4700::1111] 2606:4700::1111%eth0 2606:4700::1111%25 fe80::1%1 2606:4700::1111/64
    1::2::3 2606:4700:::1111 2606:4700::1111: 2606:4700:1:2:3:4:5 2606:4700:1:2:3:4:5:6:7 26060::1 2606::g
  `),
  "",
  " ",
  " 8.8.8.8",
  "8.8.8.8 ",
  "8.8.8.8\n",
];
