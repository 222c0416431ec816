// Shows which requests of a server Astro's origin check refuses, as it is and if a missing `Origin` is another one.
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
  const today = check.isForbiddenCrossOriginRequest(request, url);
  const proposed = request.headers.has('origin') || request.headers.has('cookie');
  console.log(
    `${type ?? 'no type'}: today ${verdict(today)}, in the stricter form 403, proposed ${verdict(proposed)}`,
  );
}

function verdict(isRefused: boolean): string {
  return isRefused ? '403' : 'accepted';
}
