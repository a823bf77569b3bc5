/** Plain text as HTML; words in backticks become code. */
export const text = (plain: string): string =>
  plain
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll(/`([^`]+)`/g, "<code>$1</code>");

/** A page that asks nothing of other hosts. */
export const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)} · Scrip</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.6 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
code { font-family: ui-monospace, monospace; font-size: 0.92em; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 0.3rem 0.8rem 0.3rem 0; border-bottom: 1px solid #8884; }
h2 { margin-top: 2rem; font-size: 1.1rem; }
</style>
</head>
<body>
${body}
</body>
</html>
`;
