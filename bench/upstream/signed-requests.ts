// Shows which requests of another server Astro's origin check refuses: today, and if a missing `Origin` is that of another site.
const root = import.meta.resolve('astro/package.json');
const check: { isForbiddenCrossOriginRequest(request: Request, url: URL): boolean } = await import(
  new URL('dist/core/app/origin-check.js', root).href
);

const url = new URL('https://www.example.com/api/articles');
const types = ['application/json', 'application/x-www-form-urlencoded', 'text/plain', undefined];
for (const type of types) {
  // A service signs its request, and has no reason to send an `Origin` or a cookie.
  const headers = { 'webhook-signature': 'v1,signature', ...(type && { 'content-type': type }) };
  const request = new Request(url, { method: 'POST', headers: new Headers(headers) });
  const isRefused = check.isForbiddenCrossOriginRequest(request, url);
  const hasBrowserHeader = request.headers.has('origin') || request.headers.has('cookie');
  console.log(
    `${type ?? 'no type'}: today ${verdict(isRefused)}, with astro#17291 403, proposed ${verdict(hasBrowserHeader)}`,
  );
}

function verdict(isRefused: boolean): string {
  return isRefused ? '403' : 'accepted';
}
