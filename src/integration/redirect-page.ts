/** Returns the HTML of a page that redirects at once, in the same form as Astro's own. */
export function redirectPage({
  from,
  to,
  canonical,
}: {
  from: string;
  to: string;
  /** The absolute URL of `to`; without `site`, the path. */
  canonical: string;
}): string {
  const target = escapeHtml(to);
  return `<!doctype html>
<title>Redirecting to: ${target}</title>
<meta http-equiv="refresh" content="0;url=${target}">
<meta name="robots" content="noindex">
<link rel="canonical" href="${escapeHtml(canonical)}">
<body>
	<a href="${target}">Redirecting from <code>${escapeHtml(from)}</code> to <code>${target}</code></a>
</body>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
